import { describe, expect, test } from "vitest";
import type { Event, Json } from "../src/events.ts";
import { jsonSchema } from "../src/json-schema.ts";
import { request, setUp, untilEnd, untilEvent } from "./running.ts";

const accepts = (schema: Json, value: unknown) => jsonSchema(schema).safeParse(value).success;
const text = (pattern: string): Json => ({ type: "string", pattern });

describe("an untrusted JSON Schema", () => {
  test("checks values, with patterns whose running time is bounded", () => {
    const schema = { type: "object", required: ["day"], properties: { day: text("^\\d{4}-\\d{2}-\\d{2}$") } };
    expect(accepts(schema, { day: "2026-11-15" })).toBe(true);
    expect(accepts(schema, { day: "tomorrow" })).toBe(false);
    expect(accepts(schema, {})).toBe(false);
    expect(accepts(text("^[^@]+@[^@]+\\.[^@]+$"), "ada@example.com")).toBe(true);
    expect(accepts(text("^[^@]+@[^@]+\\.[^@]+$"), "ada")).toBe(false);
    expect(accepts(text("b$"), "a b")).toBe(true);
    expect(accepts(text("^b"), "a b")).toBe(false);
  });

  test.each([
    "(a+)+$",
    "^(a|a)*$",
    "^(?:a|aa){30}b",
    "(a?){30}a{30}",
    `${"a?".repeat(40)}${"a".repeat(40)}`,
    "^(a*)\\1*b",
    "^a*a*a*a*a*b",
    "(?=(a+)+b)",
    `^${"(a?".repeat(60)}${")".repeat(60)}$`,
  ])("cannot block the process with the pattern %s", (pattern) => {
    expect(accepts(text(pattern), `${"a".repeat(200)}!`)).toBe(true);
    const keys = { type: "object", patternProperties: { [pattern]: { type: "number" } } };
    expect(accepts(keys, { [`${"a".repeat(200)}!`]: 1 })).toBe(true);
    expect(accepts({ type: "object", properties: { pattern: text(pattern) } }, { pattern: "b" })).toBe(true);
  });

  test("does not match long texts against a pattern", () => {
    expect(accepts(text("^a*a*a*b"), "a".repeat(100_000))).toBe(true);
    expect(accepts(text("^a*a*a*b"), "a".repeat(200))).toBe(false);
  });

  test("may use any keyword as a value", () => {
    const value = { pattern: "(a+)+" };
    expect(jsonSchema({ type: "object", default: value }).parse(undefined)).toEqual(value);
  });

  test("is refused if it is nested too deeply", () => {
    let schema: Json = { type: "string" };
    for (let depth = 0; depth < 5000; depth++) schema = { not: schema };
    expect(() => jsonSchema(schema)).toThrow("nested too deeply");
  });
});

describe("references in an untrusted JSON Schema", () => {
  /** Each definition uses the one before it twice, so the last one contains 2^count of the first. */
  const doubling = (keyword: "anyOf" | "allOf", count: number): Json => ({
    $ref: `#/$defs/a~1${count}`,
    $defs: Object.fromEntries(
      Array.from({ length: count + 1 }, (_, index): [string, Json] => {
        const before = { $ref: `#/$defs/a~1${index - 1}` };
        return [`a/${index}`, index === 0 ? { type: "string" } : { [keyword]: [before, before] }];
      }),
    ),
  });

  test.each(["anyOf", "allOf"] as const)("cannot block the process by doubling in %s", (keyword) => {
    expect(accepts(doubling(keyword, 4), "x")).toBe(true);
    expect(accepts(doubling(keyword, 4), 1)).toBe(false);
    for (const count of [30, 60]) expect(() => jsonSchema(doubling(keyword, count))).toThrow("too large");
  });

  test("may be recursive", () => {
    const tree = {
      type: "object",
      properties: { left: { $ref: "#" }, right: { $ref: "#" }, name: { type: "string" } },
    };
    expect(accepts(tree, { left: { left: { name: "a" } }, right: { name: "b" } })).toBe(true);
    expect(accepts(tree, { left: { left: { name: 1 } } })).toBe(false);
  });
});

describe("an answer", () => {
  const asking = async (asked: Pick<Event & { type: "ask-start" }, "kind" | "schema">) => {
    const { runner, log } = setUp();
    const { run } = await runner.start(request, {
      name: "test",
      source: async function* (_, { answerTo }) {
        yield { type: "ask-start", ask: "a", ...asked };
        await answerTo("a");
      },
    });
    await untilEvent(log, run, ({ type }) => type === "ask-start");
    return { answer: (value: Json) => runner.answer(run, "a", { value }), ended: () => untilEnd(log, run) };
  };
  const schema = { type: "object", required: ["name"], properties: { name: { type: "string", minLength: 2 } } };

  test("an answer that does not match the ask's schema is refused, and the ask stays open", async () => {
    const { answer, ended } = await asking({ kind: "input", schema });
    await expect(answer({ name: 1 })).rejects.toMatchObject({
      code: "bad-answer",
      status: 400,
      message: expect.stringContaining("name: "),
    });
    await expect(answer({})).rejects.toMatchObject({ code: "bad-answer" });
    await expect(answer("A")).rejects.toMatchObject({ code: "bad-answer" });
    expect(await answer({ name: "Ada" })).toBe("accepted");
    expect(await ended()).toContainEqual(expect.objectContaining({ type: "ask-end", outcome: "answered" }));
  });

  test("an answer may be the bare value of a form's only field, or null to decline", async () => {
    const bare = await asking({ kind: "input", schema });
    expect(await bare.answer("Ada")).toBe("accepted");
    const nothing = await asking({ kind: "input", schema });
    expect(await nothing.answer(null)).toBe("accepted");
  });

  test("an answer to a schema that cannot be checked here is accepted unchanged", async () => {
    const { answer } = await asking({ kind: "input", schema: { $ref: "https://example.com/elsewhere.json" } });
    expect(await answer("Ada")).toBe("accepted");
  });
});
