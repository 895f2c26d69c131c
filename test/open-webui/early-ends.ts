import type { Entry, Event } from "../../src/events.ts";
import { closeInside, type Ending } from "../../src/runner/close.ts";
import { createVerifier } from "../../src/verify.ts";

const ENDINGS: readonly Ending[] = [
  { outcome: "cancelled" },
  { outcome: "interrupted", error: { code: "interrupted", message: "the server was stopped" } },
  { outcome: "error", error: { code: "upstream", message: "the model went away", retryable: true } },
];

/** What the runner writes if the run ends early after these entries, in each possible way. */
export const earlyEnds = (prefix: readonly Entry[]): readonly (readonly Entry[])[] => {
  const last = prefix.at(-1);
  if (!last || last.event.type === "run-end") return [];
  const verifier = createVerifier();
  for (const { event } of prefix) verifier.check(event);
  return ENDINGS.map((ending) => {
    const end: Event = { type: "run-end", ...ending };
    return [...closeInside(verifier.root, ending), end].map((event, index) => ({
      seq: last.seq + 1 + index,
      at: last.at,
      event,
    }));
  });
};
