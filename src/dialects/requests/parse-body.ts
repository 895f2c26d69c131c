import type { z } from "zod";
import { Refusal } from "../../source.ts";

/** Parses the body with its schema. Refuses with the name of the first invalid field. */
export const parseBody = <Schema extends z.ZodType>(schema: Schema, body: unknown, hint?: string): z.infer<Schema> => {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const field = (issue?.path ?? []).map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`)).join("");
  const where = field ? `the field ${field.replace(/^\./, "")}` : "the body";
  const reason = issue?.message.replace(/^Invalid input(: |$)/, "");
  const wrong = reason?.endsWith("received undefined") ? "is missing" : `is invalid${reason ? `: ${reason}` : ""}`;
  throw new Refusal("bad-request", `${where} ${wrong}`, hint ? { hint } : {});
};
