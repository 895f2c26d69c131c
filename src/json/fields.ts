import { parseJson } from "./parse.ts";

/** An object from an external source. Any field may be missing, of another type, or from a later version. */
export type Fields = Readonly<Record<string, unknown>>;

const NONE: Fields = {};

/** The fields of an object. Empty for any other value. */
export const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : NONE;

/** The items of a list. Empty for any other value. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Parses the fields of a JSON object. Undefined for anything else. */
export const parseFields = (text: string): Fields | undefined => {
  const fields = fieldsOf(parseJson(text));
  return fields === NONE ? undefined : fields;
};
