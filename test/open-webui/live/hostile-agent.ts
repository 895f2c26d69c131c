import type { Event } from "../../../src/events.ts";
import type { Source } from "../../../src/source.ts";

/** A run in which tools emit these texts: as arguments, results, status, output, citations, and errors. */
export const saying = (texts: readonly string[]): Source =>
  async function* () {
    yield { type: "step-start", step: "s" };
    yield* textPart("p", "Here it comes.");
    for (const [index] of texts.entries()) yield { type: "tool-start", call: `c${index}`, name: `say_${index}` };
    for (const [index, text] of texts.entries())
      yield { type: "tool-input-end", call: `c${index}`, input: { text: text.slice(0, 10_000) } };
    yield { type: "step-end", step: "s", finish: "tools" };
    for (const [index, text] of texts.entries()) yield* callOf(`c${index}`, text, index);
    yield { type: "step-start", step: "t" };
    yield* textPart("q", "That was it.");
    yield { type: "step-end", step: "t", finish: "stop" };
  };

function* textPart(part: string, text: string): Generator<Event> {
  yield { type: "text-start", part };
  yield { type: "text-delta", part, delta: text };
  yield { type: "text-end", part };
}

function* callOf(call: string, text: string, index: number): Generator<Event> {
  const short = text.slice(0, 10_000);
  yield { type: "tool-execute", call };
  yield { type: "status", call, text: short };
  yield { type: "tool-output-delta", call, stream: "stdout", delta: short };
  yield { type: "citation", citation: `k${index}`, call, title: short.slice(0, 200), text: short };
  if (index % 5 === 4) yield { type: "tool-end", call, outcome: "error", error: { code: "failed", message: short } };
  else yield { type: "tool-end", call, outcome: "ok", content: [{ type: "text", text }] };
}
