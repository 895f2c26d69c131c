import { messageOf } from "runcast/view";
import type { Json } from "runcast/events";
import { oneLine, visibleText } from "runcast/view";

/** A field of a form. */
export interface FormField {
  /** The property it sets, or "" for the whole value. */
  readonly key: string;
  readonly label: string;
  readonly description: string | undefined;
  readonly kind: "text" | "number" | "boolean" | "options" | "multi" | "json";
  readonly options: readonly { readonly value: Json; readonly label: string }[];
  readonly required: boolean;
  readonly initial: Json | undefined;
  readonly schema: JsonObject;
}

type JsonObject = { readonly [key: string]: Json | undefined };

/** The input by field key: a text, a checkbox state, or the chosen options. */
export type Entered = Readonly<Record<string, unknown>>;

/** The form fields for a schema: one per property, or a single one for a value that is not an object. */
export const fieldsOf = (schema: Json | undefined, value?: Json): readonly FormField[] => {
  const whole = isObject(schema) ? schema : {};
  const { properties } = whole;
  if (!isObject(properties) || Object.keys(properties).length === 0) return [fieldOf("", whole, true, value)];
  const required = Array.isArray(whole.required) ? whole.required : [];
  const given = isObject(value) ? value : {};
  return Object.entries(properties).map(([key, property]) =>
    fieldOf(
      key,
      isObject(property) ? property : {},
      required.includes(key),
      Object.hasOwn(given, key) ? given[key] : undefined,
    ),
  );
};

const fieldOf = (key: string, schema: JsonObject, required: boolean, given: Json | undefined): FormField => {
  const items = isObject(schema.items) ? schema.items : undefined;
  const isMulti = schema.type === "array" && items !== undefined && optionsOf(items).length > 0;
  const options = optionsOf(isMulti ? items : schema);
  return {
    key,
    label: oneLine(typeof schema.title === "string" ? schema.title : key) || "Answer",
    description: typeof schema.description === "string" ? visibleText(schema.description) : undefined,
    kind: isMulti ? "multi" : options.length > 0 ? "options" : kindOf(schema),
    options,
    required,
    initial: given ?? schema.default,
    schema,
  };
};

const kindOf = ({ type }: JsonObject): FormField["kind"] => {
  if (type === "number" || type === "integer") return "number";
  if (type === "boolean") return "boolean";
  return type === undefined || type === "string" ? "text" : "json";
};

const optionsOf = (schema: JsonObject): { value: Json; label: string }[] => {
  const names = Array.isArray(schema.enumNames) ? schema.enumNames : [];
  if (Array.isArray(schema.enum))
    return schema.enum.map((value, index) => ({ value, label: labelOf(names[index] ?? value) }));
  const options = schema.oneOf ?? schema.anyOf;
  if (!Array.isArray(options) || !options.every((one) => isObject(one) && one.const !== undefined)) return [];
  return (options as JsonObject[]).map((one) => ({ value: one.const!, label: labelOf(one.title ?? one.const) }));
};

const labelOf = (value: Json | undefined): string => oneLine(typeof value === "string" ? value : JSON.stringify(value));

/** The initial content of a field. */
export const enteredAtFirst = ({ kind, initial, options }: FormField): unknown => {
  const indexOf = (value: Json | undefined) =>
    options.findIndex((option) => JSON.stringify(option.value) === JSON.stringify(value));
  if (kind === "boolean") return initial === true;
  if (kind === "options") return indexOf(initial);
  if (kind === "multi") return Array.isArray(initial) ? initial.map(indexOf).filter((index) => index >= 0) : [];
  if (kind === "json") return initial === undefined ? "" : JSON.stringify(initial, undefined, 2);
  return initial === undefined || initial === null
    ? ""
    : typeof initial === "string"
      ? initial
      : JSON.stringify(initial);
};

/** The input of a field, or its initial content. A key may equal a property of Object.prototype. */
export const enteredIn = (field: FormField, entered: Entered): unknown =>
  Object.hasOwn(entered, field.key) ? entered[field.key] : enteredAtFirst(field);

export type Filled = { readonly value: Json } | { readonly troubles: Readonly<Record<string, string>> };

/** The entered value, or the errors by field. */
export const valueOf = (fields: readonly FormField[], entered: Entered): Filled => {
  const troubles: Record<string, string> = {};
  const value: Record<string, Json> = {};
  for (const field of fields) {
    const read = readField(field, enteredIn(field, entered));
    if ("trouble" in read) troubles[field.key] = read.trouble;
    else if (read.value !== undefined) Object.defineProperty(value, field.key, { value: read.value, enumerable: true });
  }
  if (Object.keys(troubles).length > 0) return { troubles };
  return { value: fields.length === 1 && fields[0]!.key === "" ? (value[""] ?? null) : value };
};

type Read = { readonly value: Json | undefined } | { readonly trouble: string };

const readField = (field: FormField, entered: unknown): Read => {
  const { kind, options, required } = field;
  if (kind === "boolean") return { value: entered === true };
  if (kind === "multi")
    return readMulti(
      field,
      (entered as number[]).map((index) => options[index]!.value),
    );
  if (kind === "options") {
    const picked = options[entered as number];
    return picked ? { value: picked.value } : required ? { trouble: "Choose one" } : { value: undefined };
  }
  const text = String(entered);
  if (text.trim() === "") return required ? { trouble: "This field is required" } : { value: undefined };
  if (kind === "number") return readNumber(field, text);
  return kind === "json" ? readJson(text) : readText(field, text);
};

const readMulti = ({ schema }: FormField, value: Json[]): Read => {
  if (typeof schema.minItems === "number" && value.length < schema.minItems)
    return { trouble: `Choose at least ${schema.minItems}` };
  if (typeof schema.maxItems === "number" && value.length > schema.maxItems)
    return { trouble: `Choose at most ${schema.maxItems}` };
  return { value };
};

const readNumber = ({ schema }: FormField, text: string): Read => {
  const value = Number(text);
  if (!Number.isFinite(value)) return { trouble: "Enter a number" };
  if (schema.type === "integer" && !Number.isInteger(value)) return { trouble: "Enter a whole number" };
  if (typeof schema.minimum === "number" && value < schema.minimum) return { trouble: `At least ${schema.minimum}` };
  if (typeof schema.maximum === "number" && value > schema.maximum) return { trouble: `At most ${schema.maximum}` };
  return { value };
};

const readText = ({ schema }: FormField, text: string): Read => {
  if (typeof schema.minLength === "number" && text.length < schema.minLength)
    return { trouble: `At least ${schema.minLength} characters` };
  if (typeof schema.maxLength === "number" && text.length > schema.maxLength)
    return { trouble: `At most ${schema.maxLength} characters` };
  return { value: text };
};

/** Parses hand-written JSON, or returns an error. */
export const readJson = (text: string): { readonly value: Json } | { readonly trouble: string } => {
  try {
    return { value: JSON.parse(text) as Json };
  } catch (error) {
    return { trouble: `This is not valid JSON: ${messageOf(error)}` };
  }
};

const isObject = (value: Json | undefined): value is { [key: string]: Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value);
