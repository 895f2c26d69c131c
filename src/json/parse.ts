import type { Json } from "../events.ts";

/** The value of a JSON text, or what to take instead for a text that is none. */
export const parseJson = <Otherwise extends Json | undefined = undefined>(
  text: string,
  otherwise?: Otherwise,
): Json | Otherwise => {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return otherwise as Otherwise;
  }
};
