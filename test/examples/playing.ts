import path from "node:path";
import { createClient } from "../../src/client.ts";
import { type LoadedConfig, loadConfig } from "../../src/config.ts";
import type { Answer, Entry, EventOf, EventType } from "../../src/events.ts";
import type { EndedRun } from "../../src/runner.ts";
import type { Source } from "../../src/source.ts";
import { verify } from "../../src/verify.ts";
import { serve } from "../serving.ts";

export interface Played {
  readonly run: string;
  readonly entries: readonly Entry[];
  all<Type extends EventType>(type: Type): EventOf<Type>[];
  /** How each call ended, by tool name, in the order of their ends. */
  outcomes(): [name: string, outcome: string][];
  /** The root agent's text. */
  text(): string;
  /** A file stored alongside the log. */
  file(file: string): Promise<string>;
}

/** Plays a message on a real server with a real client. Every ask gets this answer. */
export const play = async (
  source: Source,
  message: string,
  { answer = { allow: true }, onEnd }: { answer?: Answer; onEnd?: (ended: EndedRun) => unknown } = {},
): Promise<Played> => {
  const { url } = await serve(source, onEnd ? { runner: { onEnd } } : {});
  const client = createClient({ url });
  const handle = client.start({ message, thread: "thread" });
  const entries: Entry[] = [];
  for await (const entry of handle.entries()) {
    entries.push(entry);
    if (entry.event.type === "ask-start") await handle.answer(entry.event.ask, answer);
  }
  const wrong = verify(entries);
  if (wrong) throw new Error(`${wrong.seq}: ${wrong.message}`);
  const all: Played["all"] = (type) =>
    entries.map(({ event }) => event).filter((event) => event.type === type) as never;
  const names = new Map(all("tool-start").map(({ call, name }) => [call, name]));
  return {
    run: handle.run,
    entries,
    all,
    outcomes: () => all("tool-end").map(({ call, outcome }) => [names.get(call) ?? "", outcome]),
    text: () =>
      all("text-delta")
        .map(({ agent, delta }) => (agent === undefined ? delta : ""))
        .join(""),
    file: async (file) => (await client.file(handle.run, file)).text(),
  };
};

/** The configuration of an example, as `runcast serve --config` loads it. */
export const configOf = (example: string): Promise<LoadedConfig> =>
  loadConfig(path.join(import.meta.dirname, "../.."), { file: `examples/${example}/runcast.config.ts` });
