import type { z } from "zod";
import type { Dialect } from "../../dialect.ts";
import { Refusal } from "../../source.ts";
import { problemText } from "../frames/problem-text.ts";

/** Refuses as FastAPI servers do, for families that use FastAPI: 422 for an invalid body, and the reason as `detail`. */
export const fastApi = {
  /** Parses the body with its schema. Refuses with the name of the first invalid field. */
  parse<Schema extends z.ZodType>(schema: Schema, body: unknown, hint: string): z.infer<Schema> {
    const result = schema.safeParse(body);
    if (result.success) return result.data;
    const { path = [], message = "unknown" } = result.error.issues[0] ?? {};
    const where = path.length > 0 ? `the field ${path.map(String).join(".")}` : "the body";
    throw new Refusal("bad-request", `${where} is invalid: ${message}`, { status: 422, hint });
  },

  refuse: (({ status, message, hint }) => ({
    status,
    body: JSON.stringify({ detail: problemText({ message, hint }) }),
  })) satisfies Dialect["refuse"],
};
