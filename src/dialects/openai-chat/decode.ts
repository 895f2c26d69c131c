import { type Fields, fieldsOf, parseFields } from "../../json.ts";
import type { Frame } from "../../dialect.ts";
import type { Event, Finish, Usage } from "../../events.ts";
import { PROTOCOL } from "../../protocol.ts";
import { DONE } from "./encode.ts";
import { readChatUsage } from "../openai/chat-usage.ts";
import { readOpenaiError } from "../openai/errors.ts";

/** Far more calls than a real answer has. Bounds the memory that a remote can make us use. */
const MAX_CALLS = 1024;

/**
 * Decodes the chunks of any chat completion server as one step of one agent. Its calls are run by the client, which
 * sends their results to the remote. Skips chunks that are not JSON and all choices but the first.
 */
export const createDecoder = (): ((frame: Frame) => readonly Event[]) => {
  const calls = new Map<number, { readonly call: string; readonly id: string | undefined }>();
  const names: string[] = [];
  let phase: "before" | "started" | "step" | "finished" | "ended" = "before";
  let open: { readonly kind: "text" | "thinking"; readonly part: string } | undefined;
  let parts = 0;
  let usage: Usage | undefined;

  const start = ({ id, model }: Fields): Event[] => {
    if (phase !== "before") return [];
    phase = "started";
    const name = textOf(model) ?? "remote";
    const run = textOf(id)?.replace(/^chatcmpl-/, "") || "remote";
    return [{ type: "run-start", protocol: PROTOCOL, run: run.slice(0, 256), name }];
  };

  const step = (): Event[] => {
    if (phase !== "started") return [];
    phase = "step";
    return [{ type: "step-start", step: "step-1" }];
  };

  const close = (): Event[] => {
    const ended: Event[] = open ? [{ type: `${open.kind}-end`, part: open.part }] : [];
    open = undefined;
    return ended;
  };

  const deltaEvents = (kind: "text" | "thinking", delta: string | undefined): Event[] => {
    if (delta === undefined) return [];
    const events = step();
    if (open?.kind !== kind) {
      events.push(...close());
      open = { kind, part: `part-${++parts}` };
      events.push({ type: `${kind}-start`, part: open.part });
    }
    return [...events, { type: `${kind}-delta`, part: open.part, delta }];
  };

  const fragment = (value: unknown, position: number): Event[] => {
    const { index = position, id, function: about } = fieldsOf(value);
    const { name, arguments: given } = fieldsOf(about);
    const key = typeof index === "number" ? index : position;
    const events: Event[] = [];
    const givenId = textOf(id)?.slice(0, 200);
    const earlier = calls.get(key);
    // Some servers give every call the same index but a different id.
    if (!earlier || (givenId !== undefined && textOf(name) !== undefined && earlier.id !== givenId)) {
      if (names.length >= MAX_CALLS) return [];
      const isNew = givenId !== undefined && !names.includes(givenId);
      const call = isNew ? givenId : `${givenId ?? "call"}-${names.length + 1}`;
      calls.set(key, { call, id: givenId });
      names.push(call);
      events.push(...step(), ...close());
      if (earlier) events.push({ type: "tool-input-end", call: earlier.call });
      events.push({ type: "tool-start", call, name: textOf(name) ?? "unknown", client: true });
    }
    const delta = typeof given === "object" && given !== null ? JSON.stringify(given) : textOf(given);
    return delta === undefined ? events : [...events, { type: "tool-input-delta", call: calls.get(key)!.call, delta }];
  };

  const finish = (reason: string): Event[] => {
    const events: Event[] = [...step(), ...close()];
    phase = "finished";
    for (const { call } of calls.values()) events.push({ type: "tool-input-end", call });
    events.push({ type: "step-end", step: "step-1", finish: FINISHES[reason] ?? "other", ...(usage && { usage }) });
    for (const call of names) events.push({ type: "tool-end", call, outcome: "deferred" });
    return events;
  };

  const end = (event: Event): Event[] => {
    phase = "ended";
    return [event];
  };

  const chunk = (value: Fields): Event[] => {
    if (value["error"]) return end({ type: "run-end", outcome: "error", error: readOpenaiError(value["error"]) });
    usage = readChatUsage(value["usage"]) ?? usage;
    const choices: unknown = value["choices"];
    if (!Array.isArray(choices)) return [];
    const choice = choices.map(fieldsOf).find(({ index }) => index === 0 || index === undefined);
    const events = start(value);
    if (!choice || phase === "finished") return events;
    const {
      content,
      reasoning_content: thought,
      reasoning,
      refusal,
      tool_calls: fragments,
    } = fieldsOf(choice["delta"]);
    events.push(...deltaEvents("thinking", textOf(thought) ?? textOf(reasoning)));
    events.push(...deltaEvents("text", textOf(content)), ...deltaEvents("text", textOf(refusal)));
    if (Array.isArray(fragments)) fragments.forEach((one, position) => events.push(...fragment(one, position)));
    const reason = textOf(choice["finish_reason"]);
    return reason === undefined ? events : [...events, ...finish(reason)];
  };

  return ({ data }) => {
    if (phase === "ended") return [];
    if (data.trim() !== DONE) return chunk(parseFields(data) ?? {});
    const before = phase === "step" ? finish(names.length > 0 ? "tool_calls" : "stop") : [];
    const awaiting = names.length > 0 && { awaiting: [...names] };
    return [...before, ...end({ type: "run-end", outcome: "done", ...(usage && { usage }), ...awaiting })];
  };
};

const FINISHES: Readonly<Record<string, Finish>> = {
  stop: "stop",
  length: "length",
  content_filter: "filter",
  tool_calls: "tools",
  function_call: "tools",
};

const textOf = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);
