import type { Source } from "../../src/source.ts";

/** So many finished cards, apart from one another, then the words that it is given. */
export const talkative = (
  cards: number,
): { readonly source: Source; readonly say: (word: string) => Promise<void> } => {
  let next = Promise.withResolvers<string>();
  let taken = Promise.withResolvers<void>();
  const source: Source = async function* (_, { signal }) {
    const stopped = new Promise<undefined>((resolve) => signal.addEventListener("abort", () => resolve(undefined)));
    for (let index = 0; index < cards; index++) {
      const call = `c${index}`;
      yield { type: "step-start", step: `s${index}` };
      yield { type: "text-start", part: `t${index}` };
      yield { type: "text-delta", part: `t${index}`, delta: `Number ${index}` };
      yield { type: "text-end", part: `t${index}` };
      yield { type: "tool-start", call, name: "search" };
      yield { type: "tool-input-end", call, input: { query: call } };
      yield { type: "step-end", step: `s${index}`, finish: "tools" };
      yield { type: "tool-execute", call };
      yield { type: "tool-end", call, outcome: "ok", content: [{ type: "text", text: "Found." }] };
    }
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
