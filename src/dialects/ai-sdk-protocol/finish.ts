import type { Finish } from "../../events.ts";

/** Maps the SDK's finish reason of a step to ours. */
export const finishOf = (reason: string): Finish => FINISHES.get(reason) ?? "other";

const FINISHES: ReadonlyMap<string, Finish> = new Map([
  ["stop", "stop"],
  ["tool-calls", "tools"],
  ["length", "length"],
  ["content-filter", "filter"],
  ["error", "error"],
]);
