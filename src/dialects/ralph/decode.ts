import type { Frame } from "../../dialect.ts";
import type { Content, Event, Json, Problem, RunOutcome } from "../../events.ts";
import { createEventBuilder, type BuiltCall } from "../frames/event-builder.ts";
import { type Fields, parseFields, parseJson } from "../../json.ts";
import { messageBefore } from "../frames/problem-text.ts";

const MAX_UNNAMED = 256;
const OUTCOMES: ReadonlySet<unknown> = new Set<RunOutcome>(["cancelled", "interrupted"]);
const KINDS: ReadonlySet<unknown> = new Set([
  ...["status", "message", "reasoning", "done", "error"],
  ...["tool_call_start", "tool_call_complete", "tool_call_error"],
]);

/**
 * Decodes the frames of this family's servers. Servers on Agno report a failing tool first as complete and then, in the
 * next frame, as failed. So a completion is held until the next frame of the family shows which one it is, unless it
 * states that it is no error. Skips malformed and unknown frames, and everything after `done` or `error`.
 */
export const createRalphDecoder = (): ((frame: Frame) => readonly Event[]) => {
  const builder = createEventBuilder();
  /** Calls that started without an id, oldest first. Their ends have no id either. */
  const unnamed: BuiltCall[] = [];
  let held: Held | undefined;
  let ended = false;

  const failed = (call: BuiltCall, message: string, result: readonly Content[]): Event[] => {
    const error: Problem = { code: "tool-failed", message };
    const content = result.filter((part) => part.type !== "text" || part.text !== message);
    return builder.endCall(call, { outcome: "error", ...(content.length > 0 && { content }), error });
  };

  const release = (): Event[] => {
    if (!held) return [];
    const ended = held;
    held = undefined;
    if (ended.isError) return failed(ended, textOf(ended.content) || "Unknown error", ended.content);
    return builder.endCall(ended, { outcome: "ok", ...(ended.content.length > 0 && { content: ended.content }) });
  };

  const callOf = (fields: Fields): BuiltCall => {
    const name = nameIn(fields) ?? "unknown";
    const call = idIn(fields);
    if (call !== undefined) return { call, name, input: inputIn(fields) };
    const index = unnamed.findIndex((other) => other.name === name);
    const [found] = index < 0 ? [] : unnamed.splice(index, 1);
    return found ?? { call: builder.id("call"), name, input: inputIn(fields) };
  };

  const start = (fields: Fields): Event[] => {
    const call = idIn(fields) ?? builder.id("call");
    const started = { call, name: nameIn(fields) ?? "unknown", input: inputIn(fields) };
    if (idIn(fields) === undefined) unnamed.push(started);
    if (unnamed.length > MAX_UNNAMED) unnamed.shift();
    return builder.startCall(started);
  };

  const fail = (fields: Fields): Event[] => {
    const wasHeld = held && isSame(held, fields) ? held : undefined;
    const before = wasHeld ? [] : release();
    const call = wasHeld ?? callOf(fields);
    if (wasHeld) held = undefined;
    return [...before, ...failed(call, textIn(fields, "error") || "Unknown error", wasHeld?.content ?? [])];
  };

  const end = (fields: Fields): Event[] => {
    ended = true;
    const before = release();
    if (fields["type"] === "done") return [...before, ...builder.end(), { type: "run-end", outcome: "done" }];
    const outcome = OUTCOMES.has(fields["outcome"]) ? (fields["outcome"] as RunOutcome) : "error";
    const hint = typeof fields["hint"] === "string" ? fields["hint"] : undefined;
    const error: Problem = {
      code: textIn(fields, "code") || "server-error",
      message: messageBefore(textIn(fields, "message"), hint) || textIn(fields, "content") || "Unknown error",
      ...(typeof fields["retryable"] === "boolean" && { retryable: fields["retryable"] }),
      ...(hint !== undefined && { hint }),
    };
    return [...before, { type: "run-end", outcome, error }];
  };

  return (frame) => {
    const fields = ended ? undefined : parse(frame);
    if (!fields) return [];
    switch (fields["type"]) {
      case "message":
        return [...release(), ...builder.delta("text", textIn(fields, "content"))];
      case "reasoning":
        return [...release(), ...builder.delta("thinking", textIn(fields, "content"))];
      case "status":
        return [...release(), ...(typeof fields["content"] === "string" ? [status(fields["content"])] : [])];
      case "tool_call_start":
        return [...release(), ...start(fields)];
      case "tool_call_complete": {
        const before = release();
        const isError = fields["is_error"] === true;
        held = { ...callOf(fields), hasId: idIn(fields) !== undefined, content: contentIn(fields), isError };
        return fields["is_error"] === false ? [...before, ...release()] : before;
      }
      case "tool_call_error":
        return fail(fields);
      default:
        return end(fields);
    }
  };
};

interface Held extends BuiltCall {
  readonly hasId: boolean;
  readonly content: Content[];
  readonly isError: boolean;
}

const textOf = (content: readonly Content[]): string =>
  content.map((part) => (part.type === "text" ? part.text : "")).join("");

const parse = ({ event, data }: Frame): Fields | undefined => {
  if (event !== undefined && event !== "message") return undefined;
  const fields = parseFields(data);
  return fields && KINDS.has(fields["type"]) ? fields : undefined;
};

const status = (text: string): Event => ({ type: "status", text });

const textIn = (fields: Fields, key: string): string => {
  const value = fields[key];
  return typeof value === "string" ? value : "";
};

const idIn = (fields: Fields): string | undefined => {
  const id = textIn(fields, "tool_call_id");
  return id !== "" && id.length <= 256 ? id : undefined;
};

const nameIn = (fields: Fields): string | undefined => textIn(fields, "tool_name") || undefined;

/** An error without an id, or even a name, belongs to the call that just completed if that call had no id either. */
const isSame = (held: Held, fields: Fields): boolean => {
  const id = idIn(fields);
  return id === undefined ? !held.hasId && (nameIn(fields) ?? held.name) === held.name : id === held.call;
};

const inputIn = (fields: Fields): Json => {
  const input = fields["tool_args"] as Json | undefined;
  if (typeof input !== "string") return input ?? {};
  return parseJson(input, input);
};

const contentIn = (fields: Fields): Content[] => {
  const result = fields["result"] as Json | undefined;
  if (result === undefined || result === null || result === "") return [];
  return [typeof result === "string" ? { type: "text", text: result } : { type: "json", value: result }];
};
