import type { Json } from "../events.ts";

/** Parses JSON, or returns `otherwise` for invalid text. */
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
