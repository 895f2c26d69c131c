import { type Answer, answerSchema, type EventOf, type Json } from "../../events.ts";
import { approvalsOf, choicesOf } from "../../protocol.ts";
import { Refusal } from "../../source.ts";
import type { Table } from "./compatibility.ts";
import type { Pipe } from "./pipe.ts";
import { codeBlock, codeSpan, oneLine } from "./text.ts";
import { cut } from "./whole-characters.ts";
import { diffsIn } from "../../diff.ts";
import { parseJson } from "../../json.ts";

/**
 * How to read a dialog's result: `yes` as yes or no, `option` as an option of an approval, `text` as text, `json` as
 * JSON, `value` unchanged.
 */
export const ANSWER_KINDS = ["yes", "option", "text", "json", "value"] as const;
export type AnswerKind = (typeof ANSWER_KINDS)[number];

export const answerPath = (run: string, ask: string, kind: string): string =>
  `/open-webui/v1/runs/${encodeURIComponent(run)}/asks/${encodeURIComponent(ask)}/${kind}`;

/** The question of an ask, in one line. */
export const questionOf = ({ title, message, kind }: EventOf<"ask-start">, tool: string | undefined): string =>
  oneLine(title ?? message ?? untitled(kind, tool));

const untitled = (kind: EventOf<"ask-start">["kind"], tool: string | undefined): string => {
  if (kind === "execute") return `Run JavaScript from ${tool ?? "the agent"}?`;
  return kind === "approval" && tool !== undefined ? `Allow ${tool}?` : "A question";
};

/** How many characters of what is to be approved a dialog shows. */
const MAX_SHOWN = 2000;

interface Dialog {
  readonly type: "confirmation" | "input" | "execute";
  readonly data: Readonly<Record<string, unknown>>;
  readonly kind: AnswerKind;
}

/** The dialog for an ask. Undefined if no dialog can express it. */
export const dialogOf = (
  event: EventOf<"ask-start">,
  { tool, pipe, table }: { readonly tool: string | undefined; readonly pipe: Pipe; readonly table: Table },
): Dialog | undefined => {
  const title = questionOf(event, tool);
  const message = messageOf(event);
  switch (event.kind) {
    case "approval":
    case "confirmation": {
      const options = approvalsOf(event).map(({ id, label, allow }) => ({
        value: JSON.stringify({ allow, option: id } satisfies Answer),
        label: oneLine(label),
      }));
      if (options.length > 0 && table.shows("input select"))
        return { type: "input", data: { title, message, input: { type: "select", options } }, kind: "option" };
      return { type: "confirmation", data: { title, message }, kind: "yes" };
    }
    case "choice": {
      const options = choicesOf(event).map(({ value, label }) => ({
        value: JSON.stringify(value),
        label: oneLine(label ?? textOf(value)),
      }));
      const listed = options.map(({ value, label }) => `- ${codeSpan(label)}: \`${value.replaceAll("`", "")}\``);
      if (!table.shows("input select"))
        return {
          type: "input",
          data: { title, message: [message, ...listed].join("\n\n"), placeholder: "" },
          kind: "json",
        };
      return { type: "input", data: { title, message, input: { type: "select", options } }, kind: "json" };
    }
    case "input": {
      const { type, format, isJson } = shapeOf(event.schema);
      const value = event.value === undefined ? "" : isJson ? JSON.stringify(event.value) : textOf(event.value);
      const data = {
        title,
        message,
        placeholder: isJson ? `JSON (${type})` : "",
        value,
        ...(format === "password" && { type: "password" }),
      };
      return { type: "input", data, kind: isJson ? "json" : "text" };
    }
    case "execute":
      if (!pipe.execute || typeof event.value !== "string") return undefined;
      return { type: "execute", data: { code: event.value }, kind: "value" };
    case "result":
      return undefined;
  }
};

/** Dialogs render Markdown, and show a default text if the message is empty. */
const messageOf = ({ kind, message, title, value }: EventOf<"ask-start">): string => {
  const quoted = message === undefined || title === undefined ? "" : codeSpan(cut(message, 4000));
  if (kind !== "approval" && kind !== "confirmation") return quoted || " ";
  return [quoted, ...aboutValue(value)].filter(Boolean).join("\n\n") || " ";
};

/** What is to be approved: edits as lines, anything else as JSON. */
const aboutValue = (value: Json | undefined): readonly string[] => {
  if (value === undefined) return [];
  const diffs = diffsIn(value).join("\n\n");
  if (diffs === "") return [codeSpan(cut(JSON.stringify(value), MAX_SHOWN))];
  return [codeBlock(diffs.length <= MAX_SHOWN ? diffs : `${cut(diffs, MAX_SHOWN)}\n…`)];
};

const textOf = (value: Json): string => (typeof value === "string" ? value : JSON.stringify(value));

const shapeOf = (schema: Json | undefined): { type: string; format: unknown; isJson: boolean } => {
  const { type, format } = (typeof schema === "object" && schema !== null && !Array.isArray(schema) ? schema : {}) as {
    type?: Json;
    format?: Json;
  };
  const isText = type === undefined || type === "string" || (Array.isArray(type) && type.includes("string"));
  return { type: typeof type === "string" ? type : "value", format, isJson: !isText };
};

/** Closing the dialog denies the request. */
const readOption = (result: unknown): Answer => {
  const chosen = answerSchema.pick({ allow: true, option: true }).safeParse(parseJson(String(result)));
  return chosen.success && chosen.data.allow !== undefined ? chosen.data : { allow: false };
};

/** Reads a dialog's result. A dialog that no user saw, or in which none chose, is not an answer, so the ask stays open. */
export const readAnswer = (kind: string, result: unknown): Answer => {
  const isError = typeof result === "object" && result !== null && "error" in result;
  // Confirm without a choice.
  const isUndecided = kind === "option" && result === "";
  if (result === undefined || isUndecided || (isError && kind !== "value"))
    throw new Refusal("no-answer", "the dialog was not answered", {
      status: 422,
      hint: "ask again, or answer on the run's own page",
    });
  if (kind === "yes") return { allow: result !== false && result !== null };
  if (kind === "option") return readOption(result);
  if (result === false || result === null) return { allow: false, value: null };
  if (kind === "json" && typeof result === "string") return { value: parseJson(result, result) };
  return { value: result as Json };
};
