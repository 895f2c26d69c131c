import type { Frame } from "../../dialect.ts";
import { type Fields, fieldsOf, parseFields, parseJson } from "../../json.ts";
import type { Event, Json } from "../../events.ts";
import { DONE } from "./encode.ts";
import { createEventBuilder } from "../frames/event-builder.ts";
import { readChatUsage } from "../openai/chat-usage.ts";
import { readOpenaiError } from "../openai/errors.ts";

const MAX_ITEMS = 4096;

/** Recovers as much of a run as the frames for Open WebUI contain. */
export const createDecoder = (): ((frame: Frame) => readonly Event[]) => {
  const builder = createEventBuilder();
  const calls = new Map<string, { readonly name: string; input: Json; isStarted: boolean }>();
  let usage: ReturnType<typeof readChatUsage>;
  let ended = false;

  const startCall = (id: string): Event[] => {
    const call = calls.get(id);
    if (!call || call.isStarted) return [];
    call.isStarted = true;
    return builder.startCall({ call: id, name: call.name, input: call.input });
  };

  const added = (item: Fields): Event[] => {
    if (item["type"] === "function_call") {
      const id = textIn(item, "id").slice(0, 256);
      if (id !== "" && calls.size < MAX_ITEMS)
        calls.set(id, { name: textIn(item, "name") || "unknown", input: {}, isStarted: false });
      return [];
    }
    if (item["type"] !== "function_call_output") return [];
    const id = textIn(item, "call_id").slice(0, 256);
    const call = calls.get(id);
    if (!call) return [];
    calls.delete(id);
    const text = Array.isArray(item["output"])
      ? item["output"].map((part) => textIn(fieldsOf(part), "text")).join("")
      : "";
    const named = { call: id, name: call.name, input: call.input };
    if (item["status"] === "failed") {
      const message = text.replace(/^Error: /, "") || "It failed.";
      return builder.endCall(named, { outcome: "error", error: { code: "tool-failed", message } });
    }
    return builder.endCall(named, { outcome: "ok", ...(text !== "" && { content: [{ type: "text", text }] }) });
  };

  const item = (type: string, fields: Fields): Event[] => {
    const id = textIn(fields, "item_id").slice(0, 256);
    switch (type) {
      case "response.output_text.delta":
        return builder.delta("text", textIn(fields, "delta"));
      case "response.reasoning_text.delta":
        return builder.delta("thinking", textIn(fields, "delta"));
      case "response.output_item.added":
        return added(fieldsOf(fields["item"]));
      case "response.function_call_arguments.done": {
        const call = calls.get(id);
        if (call) call.input = parseJson(textIn(fields, "arguments"), textIn(fields, "arguments"));
        return [];
      }
      case "response.output_item.done":
        return startCall(id);
      default:
        return [];
    }
  };

  const end = (event: Extract<Event, { type: "run-end" }>): Event[] => {
    ended = true;
    return [...(event.outcome === "done" ? builder.end() : []), { ...event, ...(usage && { usage }) }];
  };

  return ({ data }) => {
    if (ended) return [];
    if (data.trim() === DONE) return end({ type: "run-end", outcome: "done" });
    const fields = parseFields(data) ?? {};
    const type = fields["type"];
    if (typeof type === "string") return item(type, fields);
    if (fields["error"]) return end({ type: "run-end", outcome: "error", error: readOpenaiError(fields["error"]) });
    usage = readChatUsage(fields["usage"]) ?? usage;
    return sideEvent(fieldsOf(fields["event"]));
  };
};

const sideEvent = (fields: Fields): Event[] => {
  const about = fieldsOf(fields["data"]);
  switch (fields["type"]) {
    case "status":
      if (about["done"] === true) return [];
      return [{ type: "status", text: about["hidden"] === true ? "" : textIn(about, "description") }];
    case "notification": {
      const level = LEVELS.find((one) => one === about["type"]) ?? "info";
      return [{ type: "notice", level, text: textIn(about, "content") }];
    }
    case "chat:title":
      return typeof fields["data"] === "string" ? [{ type: "data", name: "title", value: fields["data"] }] : [];
    default:
      return [];
  }
};

const LEVELS = ["info", "success", "warning", "error"] as const;

const textIn = (fields: Fields, key: string): string => {
  const value = fields[key];
  return typeof value === "string" ? value : "";
};
