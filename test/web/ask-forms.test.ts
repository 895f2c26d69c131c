import { describe, expect, test } from "vitest";
import { createDrafts } from "../../web/src/run/drafts.ts";
import { enteredAtFirst, fieldsOf, readJson, valueOf } from "../../web/src/run/form-fields.ts";

const schema = {
  type: "object",
  required: ["name", "size"],
  properties: {
    name: { type: "string", title: "Name", minLength: 2 },
    age: { type: "integer", minimum: 1 },
    nice: { type: "boolean", default: true },
    size: { enum: ["small", "large"] },
    days: { type: "array", items: { enum: ["mon", "tue"] }, minItems: 1 },
    extra: { type: "object" },
  },
};

describe("a form from a schema", () => {
  test("has a field for each property", () => {
    expect(fieldsOf(schema).map(({ key, kind, label, required }) => [key, kind, label, required])).toEqual([
      ["name", "text", "Name", true],
      ["age", "number", "age", false],
      ["nice", "boolean", "nice", false],
      ["size", "options", "size", true],
      ["days", "multi", "days", false],
      ["extra", "json", "extra", false],
    ]);
  });

  test("hides nothing in its labels", () => {
    const [field] = fieldsOf({
      properties: {
        "a\u202Eb": { title: "To\u200B", description: "is\u2066 it", enum: ["x\u202E", "y"], enumNames: ["X\u200F"] },
      },
    });
    expect(field).toMatchObject({
      key: "a\u202Eb",
      label: "To⟦U+200B⟧",
      description: "is⟦U+2066⟧ it",
      options: [
        { value: "x\u202E", label: "X⟦U+200F⟧" },
        { value: "y", label: "y" },
      ],
    });
    expect(fieldsOf({ properties: { "a\u202Eb": { type: "string" } } })[0]!.label).toBe("a⟦U+202E⟧b");
  });

  test("returns the entered values, by type", () => {
    const fields = fieldsOf(schema);
    const entered = { name: "Ines", age: "41", size: 1, days: [0], extra: '{"a": 1}' };
    expect(valueOf(fields, entered)).toEqual({
      value: { name: "Ines", age: 41, nice: true, size: "large", days: ["mon"], extra: { a: 1 } },
    });
  });

  test("reports errors by field", () => {
    expect(valueOf(fieldsOf(schema), { name: "x", age: "1.5", extra: "{" })).toMatchObject({
      troubles: {
        name: "At least 2 characters",
        age: "Enter a whole number",
        size: "Choose one",
        days: "Choose at least 1",
      },
    });
  });

  test("starts with the given values", () => {
    const fields = fieldsOf(schema, { name: "Ines", size: "large", days: ["tue"] });
    expect(fields.map(enteredAtFirst)).toEqual(["Ines", "", true, 1, [1], ""]);
    expect(valueOf(fields, {})).toEqual({ value: { name: "Ines", nice: true, size: "large", days: ["tue"] } });
  });

  test("a value that is not an object is one field", () => {
    expect(valueOf(fieldsOf({ type: "number" }), { "": "2" })).toEqual({ value: 2 });
    expect(valueOf(fieldsOf(undefined), { "": "words" })).toEqual({ value: "words" });
    expect(valueOf(fieldsOf(undefined), {})).toEqual({ troubles: { "": "This field is required" } });
    expect(valueOf(fieldsOf({ oneOf: [{ const: 1, title: "One" }, { const: 2 }] }), { "": 0 })).toEqual({ value: 1 });
  });

  test("a property may have any name", () => {
    const fields = fieldsOf(JSON.parse('{"properties":{"__proto__":{"type":"string","default":"x"}}}'));
    const filled = valueOf(fields, {});
    expect(JSON.stringify(filled)).toBe('{"value":{"__proto__":"x"}}');
  });

  test("JSON entered by hand is validated", () => {
    expect(readJson("[1]")).toEqual({ value: [1] });
    expect(readJson("{ not json")).toMatchObject({ trouble: expect.stringContaining("not valid JSON") });
  });
});

test("every view of a draft shows what was entered in another", () => {
  const drafts = createDrafts();
  let notified = 0;
  const stop = drafts.subscribe("a", () => notified++);
  drafts.set("a", { fields: { text: "x" } });
  drafts.set("b", { sending: true });
  expect([notified, drafts.get("a").fields, drafts.get("b").sending]).toEqual([1, { text: "x" }, true]);
  expect(drafts.get("a")).toBe(drafts.get("a"));
  stop();
  drafts.set("a", { sending: true });
  expect(notified).toBe(1);
});
