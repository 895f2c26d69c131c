import type { Slot } from "./lossless.ts";

/**
 * A slot at the end of a JSON object. `opening` is the object's text up to the slot's value, and contains the field that makes
 * the family's clients skip it. `event` names the frames, for clients that check names. Reading matches only the opening.
 */
export const jsonSlot = (opening: string, event?: string): Slot => ({
  write: (data) => ({ ...(event !== undefined && { event }), data: `${opening}${data}}` }),
  read: ({ data }) => (data.startsWith(opening) ? data.slice(opening.length, -1) : undefined),
});
