import type { Slot } from "./lossless.ts";

/**
 * A slot at the end of a JSON object: `opening` is the object up to the value that the slot holds, and has what makes the family's
 * clients skip it. `event` names its frames, for clients that look at names; the slot is known by its opening alone.
 */
export const jsonSlot = (opening: string, event?: string): Slot => ({
  write: (data) => ({ ...(event !== undefined && { event }), data: `${opening}${data}}` }),
  read: ({ data }) => (data.startsWith(opening) ? data.slice(opening.length, -1) : undefined),
});
