import type { Event } from "../../src/events.ts";
import type { Source } from "../../src/source.ts";

/** This many finished cards, each preceded by a line of text, of the run itself or of a sub-agent. */
export function* finishedCards(cards: number, agent?: string): Generator<Event> {
  const by = agent === undefined ? {} : { agent };
  for (let index = 0; index < cards; index++) {
    const id = `${agent ?? ""}${index}`;
    const call = `c${id}`;
    yield { type: "step-start", step: `s${id}`, ...by };
    yield { type: "text-start", part: `t${id}`, ...by };
    yield { type: "text-delta", part: `t${id}`, delta: `Number ${index}`, ...by };
    yield { type: "text-end", part: `t${id}`, ...by };
    yield { type: "tool-start", call, name: "search", ...by };
    yield { type: "tool-input-end", call, input: { query: call }, ...by };
    yield { type: "step-end", step: `s${id}`, finish: "tools", ...by };
    yield { type: "tool-execute", call, ...by };
    yield { type: "tool-end", call, outcome: "ok", content: [{ type: "text", text: "Found." }], ...by };
  }
}

/** This many separate finished cards, then the given words. */
export const cardsThenText = (
  cards: number,
): { readonly source: Source; readonly say: (word: string) => Promise<void> } => {
  let next = Promise.withResolvers<string>();
  let taken = Promise.withResolvers<void>();
  const source: Source = async function* (_, { signal }) {
    const stopped = new Promise<undefined>((resolve) => signal.addEventListener("abort", () => resolve(undefined)));
    yield* finishedCards(cards);
    yield { type: "step-start", step: "last" };
    yield { type: "text-start", part: "last" };
    yield { type: "text-delta", part: "last", delta: "All cards are there. " };
    for (;;) {
      const delta = await Promise.race([next.promise, stopped]);
      if (delta === undefined) return;
      next = Promise.withResolvers();
      taken.resolve();
      yield { type: "text-delta", part: "last", delta };
    }
  };
  const say = async (word: string): Promise<void> => {
    taken = Promise.withResolvers();
    next.resolve(word);
    await taken.promise;
  };
  return { source, say };
};
