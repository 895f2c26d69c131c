import { type Fields, fieldsOf, parseFields } from "../../json.ts";
import type { Frame } from "../../dialect.ts";
import type { Content, Event, Problem, RunOutcome } from "../../events.ts";
import { EMPTY_RESULT, FAILED } from "./call-text.ts";
import { createEventBuilder } from "../frames/event-builder.ts";

const OUTCOMES: ReadonlySet<unknown> = new Set<RunOutcome>(["error", "cancelled", "interrupted"]);

/**
 * Decodes the frames of this family's servers. A depth without an id means the sub-agent that started last at that
 * depth. Skips malformed and unknown frames, and everything after `done`.
 */
export const createDeepAgentDecoder = (): ((frame: Frame) => readonly Event[]) => {
  const builder = createEventBuilder();
  /** Open sub-agents with the depth that the server reports, oldest first. */
  const depths = new Map<string, number>();
  /** Calls that started without an id, oldest first. Their ends have no id either. */
  const unnamed: { readonly call: string; readonly name: string }[] = [];
  let ended = false;

  const latestAt = (depth: number): string | undefined => {
    let latest: string | undefined;
    for (const [agent, itsDepth] of depths) if (itsDepth === depth) latest = agent;
    return latest;
  };

  const startAgent = (agent: string, name: string, depth: number, parent: string | undefined): Event[] => {
    const events = builder.startAgent({ agent, name, ...(parent !== undefined && { parent }) });
    depths.set(agent, depth);
    for (const open of depths.keys()) if (!builder.isOpen(open)) depths.delete(open);
    return events;
  };

  /** The agent of a frame. Starts an unknown agent, so its text never becomes part of the answer. */
  const agentOf = (data: Fields): { readonly agent?: string; readonly events: Event[] } => {
    const id = idIn(data, "agent_id");
    if (id !== undefined && builder.isOpen(id)) return { agent: id, events: [] };
    const depth = depthIn(data, "agent_depth");
    if (id === undefined && depth === 0) return { events: [] };
    const known = id ?? latestAt(depth);
    if (known !== undefined && builder.isOpen(known)) return { agent: known, events: [] };
    const agent = id ?? builder.id("agent");
    return { agent, events: startAgent(agent, "unknown", Math.max(depth, 1), latestAt(depth - 1)) };
  };

  const endAgent = (data: Fields): Event[] => {
    const agent = idIn(data, "agent_id") ?? latestAt(depthIn(data, "depth"));
    if (agent === undefined) return [];
    const { outcome, error } = endIn(data);
    const events = builder.endAgent(agent, { outcome, ...(error && { error }) });
    for (const open of depths.keys()) if (!builder.isOpen(open)) depths.delete(open);
    return events;
  };

  const startCall = (data: Fields): Event[] => {
    const { agent, events } = agentOf(data);
    const id = idIn(data, "tool_id");
    const started = { call: id ?? builder.id("call"), name: nameIn(data) };
    if (id === undefined) unnamed.push(started);
    if (unnamed.length > 256) unnamed.shift();
    return [...events, ...builder.startCall(started, agent)];
  };

  const endCall = (data: Fields): Event[] => {
    const { agent, events } = agentOf(data);
    const name = nameIn(data);
    const id = idIn(data, "tool_id");
    const index = id === undefined ? unnamed.findIndex((other) => other.name === name) : -1;
    const [found] = index < 0 ? [] : unnamed.splice(index, 1);
    const call = found ?? { call: id ?? builder.id("call"), name };
    const content = contentIn(data);
    if (data["is_error"] !== true)
      return [...events, ...builder.endCall(call, { outcome: "ok", ...(content.length > 0 && { content }) }, agent)];
    const read = textIn(data, "result");
    const message = (read.startsWith(FAILED) ? read.slice(FAILED.length) : read) || "Unknown error";
    return [...events, ...builder.endCall(call, { outcome: "error", error: { code: "tool-failed", message } }, agent)];
  };

  const end = (data: Fields): Event[] => {
    ended = true;
    const { outcome, error } = endIn(data);
    if (outcome === "done") return [...builder.end(), { type: "run-end", outcome }];
    return [{ type: "run-end", outcome, ...(error && { error }) }];
  };

  return (frame) => {
    const read = ended ? undefined : parse(frame);
    if (!read) return [];
    const { type, data } = read;
    // The text of a failure, which `done` reports as an error.
    if (data["is_error"] === true && type !== "tool_end") return [];
    switch (type) {
      case "token": {
        const { agent, events } = agentOf(data);
        return [...events, ...builder.delta("text", textIn(data, "content"), agent)];
      }
      case "status": {
        const { agent, events } = agentOf(data);
        const text = data["description"];
        if (typeof text !== "string") return events;
        return [...events, { type: "status", ...(agent !== undefined && { agent }), text }];
      }
      case "tool_start":
        return startCall(data);
      case "tool_end":
        return endCall(data);
      case "agent_start": {
        const depth = Math.max(1, depthIn(data, "depth"));
        const agent = idIn(data, "agent_id") ?? builder.id("agent");
        return startAgent(agent, nameIn(data), depth, idIn(data, "parent_id") ?? latestAt(depth - 1));
      }
      case "agent_end":
        return endAgent(data);
      case "done":
        return end(data);
      default:
        return [];
    }
  };
};

const parse = ({ data }: Frame): { readonly type: unknown; readonly data: Fields } | undefined => {
  const frame = parseFields(data);
  return frame && { type: frame["type"], data: fieldsOf(frame["data"]) };
};

const textIn = (data: Fields, key: string): string => {
  const value = data[key];
  return typeof value === "string" ? value : "";
};

const idIn = (data: Fields, key: string): string | undefined => {
  const id = textIn(data, key);
  return id !== "" && id.length <= 256 ? id : undefined;
};

const nameIn = (data: Fields): string => textIn(data, "name") || "unknown";

const depthIn = (data: Fields, key: string): number => {
  const depth = data[key];
  return typeof depth === "number" && Number.isInteger(depth) && depth > 0 ? depth : 0;
};

const endIn = (data: Fields): { readonly outcome: RunOutcome; readonly error?: Problem } => {
  const { outcome, error } = data;
  if (!OUTCOMES.has(outcome)) return { outcome: "done" };
  const { code, message, retryable, hint } = fieldsOf(error);
  if (typeof message !== "string") return { outcome: outcome as RunOutcome };
  return {
    outcome: outcome as RunOutcome,
    error: {
      code: typeof code === "string" ? code : "server-error",
      message,
      ...(typeof retryable === "boolean" && { retryable }),
      ...(typeof hint === "string" && { hint }),
    },
  };
};

const contentIn = (data: Fields): Content[] => {
  const result = data["result"] as Content | string | undefined;
  if (result === undefined || result === null || result === "" || result === EMPTY_RESULT) return [];
  // The Python text of a framework object, which some servers send as the result.
  if (typeof result === "string" && /^Command\(.*\)$/s.test(result.trim())) return [];
  return [typeof result === "string" ? { type: "text", text: result } : { type: "json", value: result }];
};
