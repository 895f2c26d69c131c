import type { Finish } from "../../events.ts";

/** How a step ended, by the SDK's word for it. */
export const finishOf = (reason: string): Finish => FINISHES.get(reason) ?? "other";

const FINISHES: ReadonlyMap<string, Finish> = new Map([
  ["stop", "stop"],
  ["tool-calls", "tools"],
  ["length", "length"],
  ["content-filter", "filter"],
  ["error", "error"],
]);
