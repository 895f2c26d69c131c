import type { Dialect } from "../src/dialect.ts";
import { native } from "../src/dialects/native.ts";
import type { Entry, Event, Json } from "../src/events.ts";
import { choicesOf } from "../src/protocol.ts";
import type { Log } from "../src/log.ts";
import { memory } from "../src/logs/memory.ts";
import { demoAgent, demoStories } from "../src/models/demo.ts";
import type { Source } from "../src/source.ts";
import { http, type HttpOptions } from "../src/sources/http.ts";
import { createState, fold, snapshot } from "../src/state.ts";
import { entriesOf } from "./running.ts";
import { post, serve, start, until } from "./serving.ts";

export interface Chain {
  readonly up: { readonly url: string; readonly port: number; readonly log: Log };
  readonly down: { readonly url: string; readonly log: Log };
  /** The only run of the upper server. */
  upperRun(): Promise<string>;
}

/** Two servers: one whose agent is `source`, and one whose agent is the first server. */
export const chain = async (
  dialect: Dialect,
  source: Source,
  options: Partial<HttpOptions> & { urlOf?: (port: number) => Promise<string> } = {},
): Promise<Chain> => {
  const { urlOf, ...httpOptions } = options;
  const upLog = memory();
  const downLog = memory();
  const up = await serve(source, { log: upLog, dialects: dialect === native ? [native] : [native, dialect] });
  const url = urlOf ? await urlOf(up.port) : up.url;
  const down = await serve(http({ dialect, url, ...httpOptions }), {
    log: downLog, // Both runs are compared, and a busy machine may need seconds for the first frame.
    runner: { graceMs: 2000, firstEventMs: 30_000 },
  });
  return {
    up: { ...up, log: upLog },
    down: { ...down, log: downLog },
    upperRun: async () => (await upLog.list({ limit: 1 }))[0]!.run,
  };
};

export const stories: readonly { readonly name: string; readonly message: string }[] = [
  ...demoStories,
  { name: "everything", message: "Hello" },
];

const mapTool = {
  name: "show_map",
  description: "Shows a place on the map of the client.",
  schema: { type: "object", properties: { place: { type: "string" } } },
};

/** Plays a story in a chain, with a user who watches the lower run. Returns the final states of both runs. */
export const playStory = async (
  dialect: Dialect,
  name: string,
  options: Parameters<typeof chain>[2] = {},
): Promise<{ up: Json; down: Json }> => {
  const { message } = stories.find((story) => story.name === name)!;
  const { up, down, upperRun } = await chain(dialect, demoAgent({ speed: Infinity }), options);
  const run = await start(down.url, { message, ...(name === "client-run tool" && { tools: [mapTool] }) });
  const canAnswer = dialect.asks !== "link";
  let read = 0;
  const react = async (event: Event): Promise<void> => {
    const at = canAnswer ? `${down.url}/runs/${run}` : `${up.url}/runs/${await upperRun()}`;
    if (event.type === "ask-start")
      await post(`${at}/asks/${event.ask}`, answerTo(event.kind, choicesOf(event)[0]?.value));
    if (name === "cancel" && event.type === "tool-execute") await post(`${down.url}/runs/${run}/cancel`, {});
  };
  await until(async () => {
    for (const { seq, event } of await down.log.read(run, read, 1000)) {
      read = seq;
      await react(event);
    }
    return (await down.log.info(run))?.endedAt !== undefined;
  });
  await until(async () => (await up.log.info(await upperRun()))?.endedAt !== undefined);
  return {
    up: stateOf(await entriesOf(up.log, await upperRun())),
    down: stateOf(await entriesOf(down.log, run)),
  };
};

const answerTo = (kind: string, choice: Json | undefined) =>
  kind === "approval" || kind === "confirmation" ? { allow: true } : { value: choice ?? "the tests" };

/** The state of a run without its id, thread, times, number of entries and file locations. */
export const stateOf = (entries: readonly Entry[]): Json => {
  const state = createState();
  for (const entry of entries) fold(state, entry);
  return JSON.parse(
    JSON.stringify(snapshot(state), (key, value: unknown) => {
      if (PASSING.has(key)) return undefined;
      // Items that are emitted once are named by their position in the log.
      return key === "id" && typeof value === "string" ? value.replace(/^(file|citation|notice) \d+$/, "$1") : value;
    }),
  );
};

const PASSING = new Set(["run", "thread", "seq", "version", "at", "startedAt", "executedAt", "endedAt", "file"]);
