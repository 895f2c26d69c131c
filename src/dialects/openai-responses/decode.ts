import { type Fields, fieldsOf, parseFields } from "../../json.ts";
import type { Frame } from "../../dialect.ts";
import type { Event, EventOf, Finish, Usage } from "../../events.ts";
import { PROTOCOL } from "../../protocol.ts";
import { readOpenaiError } from "../openai/errors.ts";

/** Far more items than a real response has. Bounds the memory that a remote can make us use. */
const MAX_ITEMS = 4096;

interface OpenPart {
  readonly kind: "text" | "thinking";
  readonly part: string;
  readonly item: string;
  hasDeltas: boolean;
}
interface Call {
  readonly call: string;
  readonly provider: boolean;
  hasDeltas: boolean;
  ended: boolean;
}

/**
 * Decodes the events of any Responses server as one step of one agent. Function calls are run by the client, which sends
 * their results to the remote. Other calls are run by the remote. Skips frames that are not JSON and unknown events.
 */
export const createDecoder = (): ((frame: Frame) => readonly Event[]) => {
  const parts = new Map<string, OpenPart>();
  const calls = new Map<string, Call>();
  const used = new Set<string>();
  const finished = new Set<string>();
  let phase: "before" | "started" | "step" | "ended" = "before";

  const start = (response: Fields): Event[] => {
    if (phase !== "before") return [];
    phase = "started";
    const run = textOf(response["id"])?.replace(/^resp_/, "") || "remote";
    const name = textOf(response["model"]) ?? "remote";
    return [{ type: "run-start", protocol: PROTOCOL, run: run.slice(0, 256), name }];
  };

  const step = (): Event[] => {
    if (phase === "step") return [];
    phase = "step";
    return [{ type: "step-start", step: "step-1" }];
  };

  const unique = (wanted: string): string => {
    const id = wanted.slice(0, 240) || "part";
    const free = used.has(id) ? `${id}.${used.size}` : id;
    used.add(free);
    return free;
  };

  const openPart = (kind: OpenPart["kind"], value: Fields): Event[] => {
    const item = itemOf(value);
    const index = indexOf(value);
    const key = keyOf(kind, value);
    if (parts.has(key) || used.size >= MAX_ITEMS) return [];
    const name = item.replace(/^(msg|rs)_/, "");
    const part: OpenPart = { kind, part: unique(index === 0 ? name : `${name}.${index}`), item, hasDeltas: false };
    parts.set(key, part);
    return [...step(), { type: `${kind}-start`, part: part.part }];
  };
  const more = (kind: OpenPart["kind"], value: Fields): Event[] => {
    const delta = textOf(value["delta"]);
    if (delta === undefined) return [];
    const events = openPart(kind, value);
    const part = parts.get(keyOf(kind, value));
    if (!part) return events;
    part.hasDeltas = true;
    return [...events, { type: `${kind}-delta`, part: part.part, delta }];
  };
  /** Complete text, emitted only if no deltas preceded it. */
  const whole = (kind: OpenPart["kind"], value: Fields, text: unknown): Event[] =>
    parts.get(keyOf(kind, value))?.hasDeltas ? [] : more(kind, { ...value, delta: text });
  const endParts = (item: string | undefined, cut: boolean): Event[] => {
    const ended: Event[] = [];
    for (const [key, part] of parts) {
      if (item !== undefined && part.item !== item) continue;
      parts.delete(key);
      ended.push({ type: `${part.kind}-end`, part: part.part, ...(cut && { cut }) });
    }
    return ended;
  };

  const cite = (value: Fields): Event[] => {
    const { type, url, title, start_index: from, end_index: to } = fieldsOf(value["annotation"]);
    const part = parts.get(keyOf("text", value))?.part;
    if (type !== "url_citation" || part === undefined || used.size >= MAX_ITEMS) return [];
    const [start, end] = [numberOf(from), numberOf(to)];
    return [
      {
        type: "citation",
        citation: unique("citation"),
        ...(textOf(title) !== undefined && { title: textOf(title) }),
        ...(textOf(url) !== undefined && { url: textOf(url) }),
        part,
        ...(start !== undefined && end !== undefined && { range: [start, end] }),
      },
    ];
  };

  const addItem = (item: Fields): Event[] => {
    const { type, id, call_id: callId, name } = item;
    const kind = textOf(type) ?? "";
    const provider = kind !== "function_call" && kind.endsWith("_call");
    const key = textOf(id) ?? textOf(callId) ?? "";
    if ((kind !== "function_call" && !provider) || calls.has(key) || used.size >= MAX_ITEMS) return [];
    const call = unique(textOf(callId) ?? (key || "call"));
    calls.set(key, { call, provider, hasDeltas: false, ended: false });
    if (!provider) return [...step(), { type: "tool-start", call, name: textOf(name) ?? "unknown", client: true }];
    const own = kind.slice(0, -"_call".length);
    return [
      ...step(),
      { type: "tool-start", call, name: textOf(name) ?? own, provider: true },
      { type: "tool-execute", call },
    ];
  };
  const moreInput = (key: string, delta: string | undefined): Event[] => {
    const call = calls.get(key);
    if (!call || call.provider || call.ended || delta === undefined) return [];
    call.hasDeltas = true;
    return [{ type: "tool-input-delta", call: call.call, delta }];
  };
  const endInput = (key: string, text: string | undefined): Event[] => {
    const call = calls.get(key);
    if (!call || call.provider || call.ended) return [];
    const events = call.hasDeltas ? [] : moreInput(key, text);
    call.ended = true;
    return [...events, { type: "tool-input-end", call: call.call }];
  };

  const endItem = (item: Fields): Event[] => {
    const key = textOf(item["id"]) ?? textOf(item["call_id"]) ?? "";
    if (finished.has(key) || finished.size >= MAX_ITEMS) return [];
    finished.add(key);
    const events = [...addItem(item), ...wholeParts(item)];
    const isCut = item["status"] === "incomplete";
    const call = calls.get(key);
    if (!call) return [...events, ...endParts(key, isCut)];
    if (!call.provider) return [...events, ...endInput(key, textOf(item["arguments"]))];
    if (call.ended) return events;
    call.ended = true;
    return [...events, { type: "tool-end", call: call.call, ...endOf(item) }];
  };
  const wholeParts = (item: Fields): Event[] => {
    const content = item["type"] === "message" ? item["content"] : item["type"] === "reasoning" ? item["summary"] : [];
    const kind = item["type"] === "message" ? "text" : "thinking";
    const index = kind === "text" ? "content_index" : "summary_index";
    return listOf(content).flatMap((one, place) =>
      whole(kind, { item_id: item["id"], [index]: place }, fieldsOf(one)["text"] ?? fieldsOf(one)["refusal"]),
    );
  };

  const end = (response: Fields, type: string): Event[] => {
    const usage = readUsage(response["usage"]);
    const spent = usage && { usage };
    const status = textOf(response["status"]);
    const failed = type === "response.failed" || status === "failed";
    const cancelled = status === "cancelled";
    const open = [...calls].filter(([, { provider }]) => !provider);
    const events: Event[] = start(response);
    if (phase === "step" && !failed && !cancelled) {
      events.push(...endParts(undefined, false), ...open.flatMap(([key]) => endInput(key, undefined)));
      const { reason } = fieldsOf(response["incomplete_details"]);
      const finish = open.length > 0 ? "tools" : finishOf(type, reason);
      events.push({ type: "step-end", step: "step-1", finish, ...spent });
      for (const [, { call }] of open) events.push({ type: "tool-end", call, outcome: "deferred" });
    }
    phase = "ended";
    const awaiting = open.map(([, { call }]) => call);
    if (failed) events.push({ type: "run-end", outcome: "error", error: readOpenaiError(response["error"]), ...spent });
    else if (cancelled)
      events.push({
        type: "run-end",
        outcome: "cancelled",
        error: { code: "cancelled", message: "cancelled" },
        ...spent,
      });
    else events.push({ type: "run-end", outcome: "done", ...spent, ...(awaiting.length > 0 && { awaiting }) });
    return events;
  };

  const take = (type: string, value: Fields): Event[] => {
    const response = fieldsOf(value["response"]);
    switch (type) {
      case "response.created":
      case "response.queued":
      case "response.in_progress":
        return start(response);
      case "response.output_item.added":
        return addItem(fieldsOf(value["item"]));
      case "response.output_item.done":
        return endItem(fieldsOf(value["item"]));
      case "response.content_part.added":
        return fieldsOf(value["part"])["type"] === "reasoning_text"
          ? openPart("thinking", value)
          : openPart("text", value);
      case "response.reasoning_summary_part.added":
        return openPart("thinking", value);
      case "response.output_text.delta":
      case "response.refusal.delta":
        return more("text", value);
      case "response.output_text.done":
        return whole("text", value, value["text"]);
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        return more("thinking", value);
      case "response.reasoning_summary_text.done":
      case "response.reasoning_text.done":
        return whole("thinking", value, value["text"]);
      case "response.output_text.annotation.added":
        return cite(value);
      case "response.function_call_arguments.delta":
        return moreInput(itemOf(value), textOf(value["delta"]));
      case "response.function_call_arguments.done":
        return endInput(itemOf(value), textOf(value["arguments"]));
      case "response.completed":
      case "response.incomplete":
      case "response.failed":
        return end(response, type);
      case "error":
        phase = "ended";
        return [{ type: "run-end", outcome: "error", error: readOpenaiError(value["error"] ?? value) }];
      default:
        return [];
    }
  };

  return ({ event, data }) => {
    if (phase === "ended") return [];
    const value = parseFields(data);
    return value ? take(textOf(value["type"]) ?? event ?? "", value) : [];
  };
};

/** Some calls report a failure only by their error. */
const endOf = ({ status, error }: Fields): Pick<EventOf<"tool-end">, "outcome" | "error"> => {
  if (error) return { outcome: "error", error: readOpenaiError(error) };
  if (status === "failed") return { outcome: "error" };
  return { outcome: status === "incomplete" ? "interrupted" : "ok" };
};

const finishOf = (type: string, reason: unknown): Finish => {
  if (type === "response.completed") return "stop";
  if (reason === "max_output_tokens") return "length";
  return reason === "content_filter" ? "filter" : "other";
};

const readUsage = (value: unknown): Usage | undefined => {
  const usage = fieldsOf(value);
  const counts = {
    input: numberOf(usage["input_tokens"]),
    output: numberOf(usage["output_tokens"]),
    reasoning: numberOf(fieldsOf(usage["output_tokens_details"])["reasoning_tokens"]),
    cached: numberOf(fieldsOf(usage["input_tokens_details"])["cached_tokens"]),
  };
  const known = Object.entries(counts).filter(([, count]) => count !== undefined);
  return known.length > 0 ? Object.fromEntries(known) : undefined;
};

const indexOf = (value: Fields): number => numberOf(value["content_index"]) ?? numberOf(value["summary_index"]) ?? 0;
const keyOf = (kind: OpenPart["kind"], value: Fields): string => `${kind} ${itemOf(value)} ${indexOf(value)}`;
const itemOf = (value: Fields): string => textOf(value["item_id"]) ?? `item_${numberOf(value["output_index"]) ?? 0}`;
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const textOf = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);
const numberOf = (value: unknown): number | undefined =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined;
