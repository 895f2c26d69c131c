import { readFileSync } from "node:fs";
import type { Answer, Event, EventOf } from "../../src/events.ts";
import { Decoder } from "../../src/sources/langgraph/decoder.ts";
import { LocalEvents } from "../../src/sources/langgraph/local-events.ts";
import { type ProtocolEvent, protocolEventOf } from "../../src/sources/langgraph/protocol.ts";
import { Translation } from "../../src/sources/langgraph/translation.ts";
import { textOf } from "../../src/sources/upstream/reading.ts";
import { idsOf } from "../../src/sources/upstream/agent-writer.ts";

/**
 * What was transferred in one run: events of version 2, frames of version 1 with the status at the end of each stream,
 * or the events of an in-process graph with its interrupts. Also the user's answers.
 */
export type Line =
  | { readonly run: string }
  | { readonly event: unknown }
  | { readonly frame: { readonly event: string; readonly data: unknown } }
  | { readonly status: string }
  | { readonly local: unknown }
  | { readonly interrupts: readonly unknown[] }
  | { readonly answer: Answer };

export const linesIn = (file: string): readonly Line[] =>
  readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);

/** The events of version 2 that a recording contains or translates to, and its answers. */
const eventsIn = (lines: readonly Line[]): (ProtocolEvent | { readonly answer: Answer })[] => {
  let translation = new Translation("recorded");
  let local = new LocalEvents();
  return lines.flatMap((line): (ProtocolEvent | { readonly answer: Answer })[] => {
    if ("event" in line) return [protocolEventOf(line.event)].filter((event) => event !== undefined);
    if ("frame" in line) return translation.frame(textOf(line.frame?.event) ?? "", line.frame?.data);
    if ("local" in line) return local.take(line.local);
    if ("status" in line) {
      const end = translation.hasFailed ? [] : translation.end(textOf(line.status) ?? "");
      translation = new Translation("recorded");
      return end;
    }
    if ("interrupts" in line) {
      const end = local.finish(Array.isArray(line.interrupts) ? line.interrupts : []);
      local = new LocalEvents();
      return end;
    }
    return "answer" in line ? [line] : [];
  });
};

/** The decoder's events for a recording. */
export const replay = (lines: readonly Line[]) => {
  const [first] = lines;
  const run = first && "run" in first ? (textOf(first.run) ?? "") : "recorded";
  const decoder = new Decoder(idsOf("recorded"), run);
  const events: Event[] = [];
  const asks = new Map<string, EventOf<"ask-start">>();
  const take = (more: readonly Event[]): void => {
    for (const event of more) if (event.type === "ask-start") asks.set(event.ask, event);
    events.push(...more);
  };
  for (const one of eventsIn(lines)) {
    if (decoder.end) break;
    if ("method" in one) take(decoder.event(one));
    else {
      const [ask] = decoder.pause.open;
      if (ask === undefined || !decoder.isPaused) continue;
      const { agent } = asks.get(ask)!;
      const { answer } = one;
      take([{ type: "ask-end", ask, outcome: "answered", answer, ...(agent !== undefined && { agent }) }]);
      take(decoder.answered(ask, answer));
    }
  }
  const files = decoder.takeFiles().map(({ file }) => file.name);
  if (decoder.end) events.push({ type: "run-end", ...decoder.end });
  return { events, decoder, files, responses: decoder.pause.responses() };
};
