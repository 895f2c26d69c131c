import { setTimeout as wait } from "node:timers/promises";
import type { Beat } from "./stream.ts";

/** Gives the beats out at so many tokens a second, and says after each token how many there were. */
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
