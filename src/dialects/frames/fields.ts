import { parseJson } from "../../json.ts";

/** An object of somebody else's, in which nothing is certain. */
export type Fields = Readonly<Record<string, unknown>>;

/** The fields of an object; none of anything else. */
export const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null ? (value as Fields) : {};

/** The fields of an object that is written as JSON; undefined for anything else. */
export const parseFields = (text: string): Fields | undefined => {
  const value = parseJson(text);
  return typeof value === "object" && value !== null ? (value as Fields) : undefined;
};
