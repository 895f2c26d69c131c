import { z } from "zod";
import { didYouMean } from "./did-you-mean.ts";

/**
 * What a person writes by hand, as an object of these fields and no others. A field that is not known is told under its own
 * name, with the one that was probably meant. Every message goes on from the name of its field.
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
  // As strict as it claims: no unknown field gets past the catchall.
  return object as unknown as z.ZodObject<Shape, z.core.$strict>;
};

/** A name that can stand in a path, and before the colon of a model's name. */
export const plainName = z
  .string({ error: "must be a string" })
  .regex(/^[\p{L}\p{N}_][\p{L}\p{N}._-]*$/u, { error: "must be of letters, digits, ., - and _ alone" });

/** Things by such names. */
export const byName = <Value extends z.ZodType>(value: Value, expected: string) =>
  z.record(plainName, value, {
    error: ({ code }) =>
      code === "invalid_key" ? "must be named with letters, digits, ., - and _ alone" : `must be ${expected}`,
  });

/** What is wrong, one line for each field; `whole` is the name of what has the fields. */
export const mistakes = ({ issues }: z.core.$ZodError, whole: string): string[] =>
  issues.map(({ path, message }) => `${path.map(String).join(".") || whole} ${message}`);
