import { setTimeout as wait } from "node:timers/promises";
import type { Beat } from "./stream.ts";

/** Yields the beats at this many tokens per second, and reports the count after each token. */
export async function* paced(
  beats: readonly Beat[],
  perSecond: number,
  onToken: (count: number) => void,
): AsyncGenerator<Beat> {
  const begun = performance.now();
  let tokens = 0;
  for (const beat of beats) {
    if (beat.kind === "token") {
      const due = begun + (tokens * 1000) / perSecond;
      const early = due - performance.now();
      if (early > 0.5) await wait(early);
      tokens++;
    }
    yield beat;
    if (beat.kind === "token") onToken(tokens);
  }
}
