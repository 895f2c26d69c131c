import { readFileSync } from "node:fs";
import type { Answer, Event, EventOf } from "../../src/events.ts";
import { Decoder } from "../../src/sources/agno/decoder.ts";
import { idsOf } from "../../src/sources/upstream/agent-writer.ts";

/** What was transferred in one run: frames, the user's answers, and what a paused workflow waited for. */
export type Line =
  | { readonly frame: Readonly<Record<string, unknown>> }
  | { readonly raw: string }
  | { readonly steps: readonly unknown[] }
  | { readonly answer: Answer };

export const linesIn = (file: string): readonly Line[] =>
  readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);

/** Each call in its last frame, which has the arguments with which it was executed, and its result. */
export const toolsIn = (frames: readonly any[]): ReadonlyMap<string, any> => {
  const tools = frames.flatMap(({ tool, tools: waiting = [] }) => [tool, ...waiting]).filter(Boolean);
  return new Map(tools.map((tool) => [tool.tool_call_id, tool]));
};

/** The decoder's events for a recording. `isSlow`: a pause follows each frame. */
export const replay = (lines: readonly Line[], { isSlow = false, run = "recorded" } = {}) => {
  const decoder = new Decoder(idsOf(run));
  const events: Event[] = [];
  const asks = new Map<string, EventOf<"ask-start">>();
  const take = (more: readonly Event[]): void => {
    for (const event of more) if (event.type === "ask-start") asks.set(event.ask, event);
    events.push(...more);
  };
  for (const line of lines) {
    if (decoder.end) break;
    if ("frame" in line) take(decoder.frame(JSON.stringify(line.frame)));
    else if ("raw" in line) take(decoder.frame(line.raw));
    else if ("steps" in line) take(decoder.pause.askAboutSteps(Array.isArray(line.steps) ? line.steps : []));
    else {
      const [ask] = decoder.pause.open;
      if (ask === undefined) continue;
      const { agent } = asks.get(ask)!;
      const answer = line.answer ?? {};
      take([{ type: "ask-end", ask, outcome: "answered", answer, ...(agent !== undefined && { agent }) }]);
      take(decoder.pause.answered(ask, answer));
      // All answers must be serializable.
      JSON.stringify([decoder.pause.tools(), decoder.pause.requirements()]);
      if (decoder.pause.open.length === 0) decoder.continued();
    }
    if (isSlow) take(decoder.quiet());
  }
  if (decoder.end) events.push({ type: "run-end", ...decoder.end });
  return { events, decoder };
};
