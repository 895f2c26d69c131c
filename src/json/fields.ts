import { parseJson } from "./parse.ts";

/** An object of somebody else's: any field may be missing, of another type, or from a later version. */
export type Fields = Readonly<Record<string, unknown>>;

const NONE: Fields = {};

/** The fields of an object; none of anything else. */
export const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : NONE;

/** The items of a list; none of anything else. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The fields of an object that is written as JSON; undefined for anything else. */
export const parseFields = (text: string): Fields | undefined => {
  const fields = fieldsOf(parseJson(text));
  return fields === NONE ? undefined : fields;
};
