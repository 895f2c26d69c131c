import type { Json } from "../events.ts";
import { amount } from "./amounts.ts";

/** Context usage on one line. Undefined if the value does not contain it. */
export const contextText = (value: Json): string | undefined => {
  const { used, size } = (typeof value === "object" && value !== null ? value : {}) as { used?: Json; size?: Json };
  if (typeof used !== "number" || typeof size !== "number" || size <= 0) return undefined;
  const percent = Math.min(100, Math.round((used / size) * 100));
  return `${percent}% of the context used (${amount(used)} of ${amount(size)} tokens)`;
};
