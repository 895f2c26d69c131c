import { type Fields, fieldsOf, listOf } from "../../json.ts";
import type { Answer, Event, EventOf, Json } from "../../events.ts";
import type { Call } from "./call.ts";
import { isEmpty, jsonOf, lineOf, textOf } from "../upstream/reading.ts";

/** An option that an agent offers as the answer to a permission request. */
interface Option {
  readonly id: string;
  readonly label: string;
  readonly kind: string;
}

/** An open ask, and how to convert its answer. */
export interface OpenAsk {
  readonly ask: string;
  readonly call: Call | undefined;
  /** The reply to the agent. Without an answer, no decision was made. */
  readonly reply: (answer: Answer | undefined) => Json;
  readonly isPermission: boolean;
}

const MAX_OPTIONS = 20;

const allows = ({ kind }: Option): boolean => kind.startsWith("allow");

const optionsOf = (value: unknown): readonly Option[] =>
  listOf(value)
    .slice(0, MAX_OPTIONS)
    .flatMap((one): Option[] => {
      const { optionId, name, kind } = fieldsOf(one);
      if (typeof optionId !== "string" || optionId === "" || optionId.length > 256 || typeof kind !== "string")
        return [];
      return [{ id: optionId, label: lineOf(name) ?? kind.replace("_", " "), kind }];
    });

/** The option that an answer selects. Without an explicit option, the narrowest one that matches `allow`. */
const chosen = (options: readonly Option[], { allow, option, always }: Answer): string | undefined => {
  const side = options.filter((one) => allows(one) === (allow === true));
  const kinds = allow !== true ? ["reject_once"] : always ? ["allow_always", "allow_once"] : ["allow_once"];
  const found = [...kinds.map((kind) => side.find((one) => one.kind === kind)), side[0]].find(Boolean);
  return (side.find(({ id }) => id === option) ?? found)?.id;
};

/** A permission request. For a call that has already begun, it is a confirmation. */
export const permissionAsk = (
  ask: string,
  call: Call | undefined,
  params: Fields,
): { readonly open: OpenAsk; readonly event: Event } => {
  const options = optionsOf(params["options"]);
  const title = lineOf(fieldsOf(params["toolCall"])["title"]);
  const diffs = call?.diffs() ?? [];
  const [only] = diffs;
  const value = diffs.length > 1 ? { files: diffs.map((one) => ({ ...one })) } : only ? { ...only } : call?.input;
  const isApproval = call?.state === "pending";
  const name = call?.name ?? title ?? "this";
  const message = [title === name ? "" : title, call?.content.text.trim()].filter(Boolean).join("\n\n");
  const event: EventOf<"ask-start"> = {
    type: "ask-start",
    ask,
    kind: isApproval ? "approval" : "confirmation",
    ...(call && { call: call.id }),
    title: `Allow ${name}?`,
    ...(message !== "" && { message: message.slice(0, 4000) }),
    ...(value !== undefined && { value }),
    ...(isApproval && options.length > 0 && optionField(options)),
  };
  const reply = (answer: Answer | undefined): Json => {
    const optionId = answer && chosen(options, answer);
    return { outcome: optionId === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId } };
  };
  return { open: { ask, call, reply, isPermission: true }, event: call ? call.event(event) : event };
};

const optionField = (options: readonly Option[]): Pick<EventOf<"ask-start">, "options"> => ({
  options: options.map((one) => ({ id: one.id, label: one.label, allow: allows(one) })),
});

/** A form. A form with a single enumerated value is a choice. */
export const formAsk = (
  ask: string,
  call: Call | undefined,
  params: Fields,
): { readonly open: OpenAsk; readonly event: Event } => {
  const schema = jsonOf(params["requestedSchema"]);
  const message = textOf(params["message"])?.trim().slice(0, 4000);
  const single = choiceOf(schema);
  const event: EventOf<"ask-start"> = {
    type: "ask-start",
    ask,
    kind: single ? "choice" : "input",
    ...(call && { call: call.id }),
    ...(single?.title !== undefined && { title: single.title }),
    ...(message && { message }),
    ...(single ? { options: [...single.options] } : !isEmpty(schema) && { schema: schema! }),
  };
  const reply = (answer: Answer | undefined): Json => {
    if (!answer) return { action: "cancel" };
    const { value } = answer;
    if (value === undefined || value === null) return { action: "decline" };
    const isContent = !single && typeof value === "object" && !Array.isArray(value);
    const key = single?.key ?? Object.keys(fieldsOf(fieldsOf(schema)["properties"]))[0] ?? "value";
    return { action: "accept", content: isContent ? value : { [key]: value } };
  };
  return { open: { ask, call, reply, isPermission: false }, event: call ? call.event(event) : event };
};

interface Choice {
  readonly key: string;
  readonly title: string | undefined;
  readonly options: readonly { readonly value: Json; readonly label?: string; readonly description?: string }[];
}

const choiceOf = (schema: unknown): Choice | undefined => {
  const [entry, ...others] = Object.entries(fieldsOf(fieldsOf(schema)["properties"]));
  if (!entry || others.length > 0) return undefined;
  const [key, property] = entry;
  const { oneOf, enum: values, title } = fieldsOf(property);
  const options = [
    ...listOf(oneOf).flatMap((one) => {
      const { const: value, title: label, description } = fieldsOf(one);
      return value === undefined
        ? []
        : [{ value: value as Json, ...text("label", label), ...text("description", description) }];
    }),
    ...listOf(values).map((value) => ({ value: value as Json })),
  ];
  return options.length > 0 ? { key, title: lineOf(title), options } : undefined;
};

const text = <Name extends string>(name: Name, value: unknown): Partial<Record<Name, string>> => {
  const line = lineOf(value);
  return line === undefined ? {} : ({ [name]: line } as Record<Name, string>);
};
