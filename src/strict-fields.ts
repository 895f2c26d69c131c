import { z } from "zod";
import { didYouMean } from "./did-you-mean.ts";

/**
 * A hand-written object with exactly these fields. An unknown field is reported by name, with a suggestion. Each
 * message continues the name of its field.
 */
export const strictFields = <Shape extends z.core.$ZodLooseShape>(
  shape: Shape,
  { word, expected }: { readonly word: "setting" | "option"; readonly expected: string },
): z.ZodObject<Shape, z.core.$strict> => {
  const article = word === "option" ? "an" : "a";
  const unknown = z.custom(() => false, {
    error: ({ path = [] }) => `is not ${article} ${word}${didYouMean(String(path.at(-1)), Object.keys(shape))}`,
  });
  const object = z.object(shape, { error: `must be ${expected}` }).catchall(unknown);
  // The type may claim to be strict, because the catchall rejects every unknown field.
  return object as unknown as z.ZodObject<Shape, z.core.$strict>;
};

/** A name that is valid in a path, and before the colon in a model's name. */
export const plainName = z
  .string({ error: "must be a string" })
  .regex(/^[\p{L}\p{N}_][\p{L}\p{N}._-]*$/u, { error: "must contain only letters, digits, ., - and _" });

/** A record with such names as keys. */
export const byName = <Value extends z.ZodType>(value: Value, expected: string) =>
  z.record(plainName, value, {
    error: ({ code }) =>
      code === "invalid_key" ? "must have a name with only letters, digits, ., - and _" : `must be ${expected}`,
  });

/** The errors, one line per field. `whole` names the object itself. */
export const mistakes = ({ issues }: z.core.$ZodError, whole: string): string[] =>
  issues.map(({ path, message }) => `${path.map(String).join(".") || whole} ${message}`);
