import type { EventOf, Json } from "../../events.ts";
import { applyPatch } from "../../json.ts";
import { type Chunk, slotType } from "./chunk.ts";

/**
 * An agent's data. The SDK supports only whole values, so patches are applied here and the result is sent only on
 * flush. Otherwise, a value that changes with every token would be sent with every token.
 */
export interface Slots {
  take(event: EventOf<"data">): Chunk[];
  /** Emits all values that have changed since they were last sent. */
  flush(): Chunk[];
}

export const createSlots = (): Slots => {
  const values = new Map<string, { readonly name: string; readonly id: string; value: Json; isChanged: boolean }>();

  const say = (key: string): Chunk[] => {
    const slot = values.get(key);
    if (!slot) return [];
    slot.isChanged = false;
    return [{ type: slotType(slot.name), id: slot.id, data: slot.value }];
  };

  return {
    take({ name, id, value, patch, agent }) {
      const own = id ?? name;
      const key = JSON.stringify([agent, name, own]);
      const slot = values.get(key) ?? {
        name,
        id: agent === undefined ? own : `${agent}/${own}`,
        value: null,
        isChanged: false,
      };
      values.set(key, slot);
      if (patch === undefined) {
        slot.value = value ?? null;
        return say(key);
      }
      slot.value = patched(slot.value, patch);
      slot.isChanged = true;
      return [];
    },
    flush: () => [...values].flatMap(([key, { isChanged }]) => (isChanged ? say(key) : [])),
  };
};

/** A patch that does not apply changes nothing. */
const patched = (value: Json, patch: Json): Json => {
  try {
    return applyPatch(value, patch) ?? null;
  } catch {
    return value;
  }
};
