import type { Answer, Event } from "../../events.ts";
import { Refusal, type RunContext } from "../../source.ts";
import type { Response } from "./pause.ts";
import type { Showing } from "./showing.ts";

type Ended = Awaited<ReturnType<RunContext["answerTo"]>>;

/** Waits until all asks of the run are answered. Undefined if the run was stopped in the meantime. */
export async function* answersOf({
  decoder,
  context,
  earlier,
}: Showing): AsyncGenerator<Event, { readonly responses: Response[]; readonly areEarlier: boolean } | undefined> {
  const { pause } = decoder;
  const take = (ask: string, answer: Answer | undefined): readonly Event[] => {
    const events = decoder.answered(ask, answer);
    return earlier ? earlier.continuation.pass(events) : events;
  };
  for (const { ask, answer } of earlier?.log.answers ?? []) if (pause.open.includes(ask)) yield* take(ask, answer);
  const areEarlier = pause.open.length === 0;
  const waiting = new Map<string, Promise<Ended & { readonly first: string }>>();
  for (const first of pause.open) {
    const again = earlier?.continuation.ask(first);
    if (again) yield* again.events;
    const ended = context.answerTo(again?.id ?? first);
    waiting.set(
      first,
      ended.then((end) => ({ first, ...end })),
    );
  }
  let isPartial = false;
  while (waiting.size > 0) {
    const { first, outcome, answer } = await Promise.race(waiting.values());
    if (context.signal.aborted) return undefined;
    waiting.delete(first);
    yield* take(first, outcome === "answered" ? answer : undefined);
    const left = waiting.size;
    if (left > 0 || isPartial) yield { type: "status", text: left > 0 ? partial(left) : "" };
    isPartial = left > 0;
  }
  const responses = pause.responses();
  if (responses.length > 0) return { responses, areEarlier };
  throw new Refusal("upstream-paused", "The run is waiting for something that cannot be answered here.", {
    status: 502,
  });
}

const partial = (left: number): string =>
  `Waiting for ${left} more ${left === 1 ? "answer" : "answers"}. They are sent together.`;
