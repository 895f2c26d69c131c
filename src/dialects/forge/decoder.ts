import type { Frame } from "../../dialect.ts";
import type { Event, EventOf, Finish, Json, RunOutcome } from "../../events.ts";
import { incompleteOf } from "../frames/incomplete.ts";
import { withoutNote } from "./incomplete-text.ts";
import { NOTICE, noticeOf } from "./notices.ts";
import { endOf } from "./result.ts";
import { BREAK } from "./running-text.ts";
import { createPartSplitter, type PartSplitter } from "./part-splitter.ts";
import { parseJson } from "../../json.ts";

interface Call {
  readonly id: string;
  readonly name: string;
  readonly step: string;
  /** The arguments as JSON. Undefined if none were sent. */
  input: string | undefined;
  executing: boolean;
  status: Status;
}

const STATUSES = ["pending", "executing", "complete", "error"] as const;
type Status = (typeof STATUSES)[number];
type Data = Readonly<Record<string, unknown>>;

/** Problems that Forge's server reports as errors but continues after. */
const NOT_THE_END = new Set(["ARMORY_UNAVAILABLE", "TOOL_FETCH_FAILED"]);
const MAX_CALLS = 10_000;
const MAX_LEVELS = 500;

/**
 * Decodes both servers of this family: ours, which sends every state of a call, and Forge's own, which reports calls
 * only when they are over and splits a finished answer into words. Skips invalid data.
 */
export const createDecoder = (): ((frame: Frame) => readonly Event[]) => {
  const calls = new Map<string, Call>();
  const over = new Set<string>();
  const notices = new Map<string, Record<string, Json>>();
  let events: Event[] = [];
  let step: string | undefined;
  let steps = 0;
  let created = 0;
  let ended = false;

  const emit = (event: Event): void => void events.push(event);

  const openStep = (): string => {
    if (step !== undefined) return step;
    step = `step-${++steps}`;
    emit({ type: "step-start", step });
    return step;
  };
  const text = createPartSplitter("text", emit, openStep);
  const thinking = createPartSplitter("thinking", emit, openStep);

  /** Calls execute after the step that requests them. */
  const endStep = (finish: Finish = "tools"): void => {
    if (step === undefined) return;
    text.end();
    thinking.end();
    emit({ type: "step-end", step, finish });
    step = undefined;
  };

  const startCall = (id: string, name: string): Call => {
    const call = { id, name, step: openStep(), input: undefined, executing: false, status: "pending" as const };
    emit({ type: "tool-start", call: id, name });
    calls.set(id, call);
    over.delete(id);
    return call;
  };

  const execute = (call: Call, input: Record<string, Json>): void => {
    if (call.executing) return;
    call.executing = true;
    if (call.step === step) endStep();
    const inputText = JSON.stringify(input);
    const isNew = inputText !== "{}" && inputText !== call.input;
    emit({ type: "tool-execute", call: call.id, ...(isNew && { input }) });
  };

  const endCall = (call: Call, end: Omit<EventOf<"tool-end">, "type" | "call">): void => {
    if (end.outcome === "ok") execute(call, {});
    calls.delete(call.id);
    over.add(call.id);
    if (over.size > MAX_CALLS) for (const oldest of over) if (over.delete(oldest)) break;
    emit({ type: "tool-end", call: call.id, ...end });
  };

  /** The call that a frame without a usable id refers to. */
  const unnamedCall = (name: string, status: Status): Call | undefined => {
    const rank = STATUSES.indexOf(status);
    for (const call of calls.values()) if (call.name === name && STATUSES.indexOf(call.status) < rank) return call;
    return undefined;
  };

  const takeCall = (data: Data): void => {
    const status = STATUSES.find((one) => one === data["status"]) ?? "pending";
    const name = typeof data["tool_name"] === "string" && data["tool_name"] !== "" ? data["tool_name"] : "tool";
    const given = idOf(data["id"]);
    const input = inputOf(data["arguments"]);
    if (name === NOTICE && given !== undefined && input) {
      if (notices.size < MAX_CALLS) notices.set(given, input);
      return;
    }
    if (!input || (given !== undefined && over.has(given) && status !== "pending")) return;
    const known = given === undefined ? unnamedCall(name, status) : calls.get(given);
    if (!known && calls.size >= MAX_CALLS) return;
    const call = known ?? startCall(given ?? `call-${++created}`, name);
    const isKnown = status !== "pending" || Object.keys(input).length > 0;
    if (isKnown && call.input === undefined && call.step === step && !call.executing) {
      call.input = JSON.stringify(input);
      emit({ type: "tool-input-end", call: call.id, input });
    }
    if (status === "executing" || status === "complete") execute(call, input);
    call.status = status;
  };

  const takeResult = (data: Data): void => {
    const given = idOf(data["tool_call_id"]);
    const isNamed = given !== undefined && given !== "unknown";
    const call = (given !== undefined && calls.get(given)) || (isNamed ? undefined : calls.values().next().value);
    const result = data["result"];
    const noticed = given === undefined ? undefined : notices.get(given);
    const notice = noticed && noticeOf(noticed, result);
    if (given !== undefined) notices.delete(given);
    if (notice) return emit(notice);
    if (!call || isDeep(result)) return;
    const isError = data["is_error"] === true;
    const ms = data["latency_ms"];
    endCall(call, {
      outcome: isError ? "error" : "ok",
      ...endOf(result, isError),
      ...(typeof ms === "number" && ms >= 0 && { ms }),
    });
  };

  const takeComplete = (data: Data): void => {
    for (const call of calls.values()) {
      if (call.status === "complete") endCall(call, { outcome: "ok" });
      else endCall(call, { outcome: call.status === "error" ? "error" : "interrupted" });
    }
    const incomplete = incompleteOf(data["finish_reason"]);
    const { response } = data;
    if (typeof response === "string") text.correct(incomplete ? withoutNote(response, incomplete) : response);
    if (incomplete) {
      openStep();
      endStep(incomplete.finish);
    }
    const usage = data["usage"];
    const { prompt_tokens: input, completion_tokens: output } = isData(usage) ? usage : {};
    const counted = { ...(isCount(input) && { input }), ...(isCount(output) && { output }) };
    emit({ type: "run-end", outcome: "done", ...(Object.keys(counted).length > 0 && { usage: counted }) });
    ended = true;
  };

  const takeError = (data: Data): void => {
    const code = typeof data["code"] === "string" && data["code"] !== "" ? data["code"] : "STREAM_ERROR";
    const message =
      typeof data["message"] === "string" ? data["message"] : "The server ended the stream with an error.";
    if (NOT_THE_END.has(code)) return emit({ type: "notice", level: "warning", text: message });
    const outcome: RunOutcome = code === "CANCELLED" ? "cancelled" : code === "interrupted" ? code : "error";
    const named = outcome === "cancelled" ? "cancelled" : code;
    emit({ type: "run-end", outcome, error: { code: named, message, retryable: data["retryable"] === true } });
    ended = true;
  };

  const take = (event: string | undefined, data: Data): void => {
    if (event === "token") takeToken(text, data["token"], data);
    else if (event === "thinking") takeToken(thinking, data["content"], data);
    else if (event === "tool_call") takeCall(data);
    else if (event === "tool_result") takeResult(data);
    else if (event === "complete") takeComplete(data);
    else if (event === "error") takeError(data);
  };

  return ({ event, data }) => {
    events = [];
    const read = ended ? undefined : parsed(data);
    if (read) take(event, read);
    return events;
  };
};

/** `cumulative` shows where a part ends, and text that was missed. */
const takeToken = (splitter: PartSplitter, token: unknown, { cumulative, part }: Data): void => {
  let delta = typeof token === "string" ? token : "";
  if (typeof cumulative === "string") {
    const { text } = splitter;
    const missing = cumulative.length - text.length - delta.length;
    if (text !== "" && missing === BREAK.length && cumulative.startsWith(BREAK, text.length)) splitter.breakOff();
    else if (missing > 0 && cumulative.startsWith(text)) delta = cumulative.slice(text.length);
  }
  if (delta !== "") splitter.add(delta, idOf(part));
};

const parsed = (data: string): Data | undefined => {
  const value = parseJson(data);
  return isData(value) ? value : undefined;
};

const isData = (value: unknown): value is Data => typeof value === "object" && value !== null && !Array.isArray(value);

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

const idOf = (id: unknown): string | undefined =>
  typeof id === "string" && id !== "" && id.length <= 256 ? id : typeof id === "number" ? `${id}` : undefined;

/** Undefined for values too deep to be written as JSON again. */
const inputOf = (input: unknown): Record<string, Json> | undefined => {
  if (isDeep(input)) return undefined;
  if (isData(input)) return input as Record<string, Json>;
  return input === undefined || input === null ? {} : { raw: input as Json };
};

/** JSON.parse accepts deeper nesting than JSON.stringify. */
const isDeep = (value: unknown): boolean => {
  const open: { value: unknown; level: number }[] = [{ value, level: 0 }];
  for (let top = open.pop(); top; top = open.pop()) {
    if (typeof top.value !== "object" || top.value === null) continue;
    if (top.level >= MAX_LEVELS) return true;
    for (const inner of Object.values(top.value)) open.push({ value: inner, level: top.level + 1 });
  }
  return false;
};
