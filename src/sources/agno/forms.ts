import { type Fields, fieldsOf, listOf } from "../../json.ts";
import type { EventOf, Json } from "../../events.ts";
import { jsonOf, lineOf } from "../upstream/reading.ts";

type AskStart = EventOf<"ask-start">;

/** Python type names. */
const TYPES: Readonly<Record<string, string>> = {
  str: "string",
  int: "integer",
  float: "number",
  bool: "boolean",
  list: "array",
  dict: "object",
};

/** The fields of a form as a JSON Schema, and the values that the model has filled in. */
export const formSchema = (fields: unknown): { readonly schema: Json; readonly value: Json } => {
  const properties: Record<string, Json> = {};
  const value: Record<string, Json> = {};
  const required: string[] = [];
  for (const one of listOf(fields).slice(0, 100)) {
    const { name, field_type: kind, description, value: given } = fieldsOf(one);
    if (typeof name !== "string" || name === "") continue;
    const type = TYPES[lineOf(kind, 40) ?? ""];
    const text = lineOf(description, 1000);
    properties[name] = { ...(type !== undefined && { type }), ...(text !== undefined && { description: text }) };
    required.push(name);
    if (given !== null && given !== undefined) value[name] = jsonOf(given)!;
  }
  return { schema: { type: "object", properties, required }, value };
};

/** The form with the user's values. Omitted fields keep the model's values. */
export const formValues = (fields: unknown, answer: Json | undefined): Fields => {
  const values = fieldsOf(answer);
  return {
    user_input_schema: listOf(fields).map((one) => {
      const field = fieldsOf(one);
      const name = String(field["name"]);
      return Object.hasOwn(values, name) ? { ...field, value: values[name] } : field;
    }),
  };
};

/** Questions with options: a single one is a choice, several are a form. */
export const questionsOf = (all: unknown): Pick<AskStart, "kind" | "message" | "options" | "schema"> => {
  const questions = listOf(all).slice(0, 50).map(fieldsOf);
  const [only] = questions;
  if (only && questions.length === 1 && only["multi_select"] !== true)
    return {
      kind: "choice",
      message: lineOf(only["question"], 2000) ?? "",
      options: optionsIn(only).map(({ label, description }) => ({
        value: label,
        ...(description !== undefined && { description }),
      })),
    };
  const properties: Record<string, Json> = {};
  for (const question of questions) {
    const text = lineOf(question["question"], 500) ?? "";
    const values = { enum: optionsIn(question).map(({ label }) => label) };
    properties[text] =
      question["multi_select"] === true ? { type: "array", items: values } : { type: "string", ...values };
  }
  return { kind: "input", schema: { type: "object", properties, required: Object.keys(properties) } };
};

/** The questions with the user's selections. */
export const withSelections = (tool: Fields, answer: Json | undefined): Fields => {
  const questions = listOf(tool["user_feedback_schema"]).map(fieldsOf);
  return {
    user_feedback_schema: questions.map((question) => {
      const given =
        questions.length === 1 && !isObject(answer) ? answer : fieldsOf(answer)[String(question["question"])];
      const selected = (Array.isArray(given) ? given : given == null ? [] : [given]).map(String);
      const options = optionsIn(question).map((option) => ({ ...option, selected: selected.includes(option.label) }));
      return { ...question, selected_options: selected, ...(question["options"] != null && { options }) };
    }),
  };
};

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null && !Array.isArray(value);

const optionsIn = (question: Fields): { readonly label: string; readonly description?: string }[] =>
  listOf(question["options"])
    .slice(0, 100)
    .flatMap((one) => {
      const { label, description } = fieldsOf(one);
      const text = lineOf(description, 500);
      return typeof label === "string" ? [{ label, ...(text !== undefined && { description: text }) }] : [];
    });
