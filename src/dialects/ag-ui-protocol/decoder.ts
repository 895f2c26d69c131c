import { type Fields, fieldsOf, listOf, parseFields } from "../../json.ts";
import type { Decoder, Frame } from "../../dialect.ts";
import type { Event, EventOf, Json, Usage } from "../../events.ts";
import { PROTOCOL } from "../../protocol.ts";
import { activityEvents } from "./decode-activity.ts";
import { dataOf } from "./data.ts";
import { metaOf } from "./encrypted.ts";
import { idOf, textOf } from "./fields.ts";
import { isIdOf } from "./frames.ts";
import { askOf } from "./interrupts.ts";
import { contentOf, endOf, ownOutcome, pydanticOutcome } from "./result.ts";
import { type Scope, Scopes } from "./scopes.ts";

/** A result whose outcome may still follow, or a thinking part whose encrypted value may. */
interface Held {
  readonly entity: string;
  release(encrypted?: string): Event[];
}

/**
 * Decodes the events of any AG-UI server as one run. Interrupts become asks, and the stream that carries their answers
 * continues the same run. Skips unknown events. `pause` releases what is held back for a value that may follow.
 */
export const createDecoder = (): Decoder => {
  const scopes = new Scopes();
  const open = new Map<string, { readonly scope: Scope; readonly part: string }>();
  /** Messages that have started but have no content yet: some only carry calls. */
  const empty = new Map<string, string | undefined>();
  let held: Held | undefined;
  let chunk: { readonly kind: "text" | "thinking" | "call"; readonly id: string } | undefined;
  let phase: "before" | "running" | "ended" = "before";
  let hasText = false;
  /** The answer at the end of the last snapshot of the conversation. */
  let snapshot: { readonly id: string; readonly text: string } | undefined;

  const release = (encrypted?: string): Event[] => {
    const events = held?.release(encrypted) ?? [];
    held = undefined;
    return events;
  };

  const startPart = (kind: "text" | "thinking", id: string, agent: string | undefined): Event[] => {
    const key = `${kind} ${id}`;
    if (open.has(key) || open.size >= MOST) return [];
    const { scope, events } = scopes.of(agent);
    open.set(key, { scope, part: id });
    return [...events, ...scopes.startPart(scope, kind, id)];
  };
  const more = (kind: "text" | "thinking", id: string, delta: unknown, agent: string | undefined): Event[] => {
    if (typeof delta !== "string" || delta === "") return [];
    const key = `${kind} ${id}`;
    const known = open.get(key);
    const isOpen = known?.scope.parts.has(known.part);
    if (known && !isOpen) open.delete(key);
    const events = isOpen ? [] : startPart(kind, id, empty.get(id) ?? agent);
    empty.delete(id);
    const found = open.get(key);
    if (kind === "text" && found?.scope === scopes.root) hasText = true;
    return found ? [...events, { type: `${kind}-delta`, ...found.scope.of, part: found.part, delta }] : events;
  };
  const endPart = (kind: "text" | "thinking", id: string, meta?: Json): Event[] => {
    const found = open.get(`${kind} ${id}`);
    open.delete(`${kind} ${id}`);
    empty.delete(id);
    return found ? scopes.endPart(found.scope, found.part, meta) : [];
  };

  const startCall = (id: string, fields: Fields): Event[] => {
    const { scope, events } = scopes.of(idOf(fields["subagentRunId"]));
    return [...events, ...scopes.startCall(scope, id, textOf(fields["toolCallName"]) ?? "unknown")];
  };
  const moreInput = (id: string, delta: unknown): Event[] => {
    const call = scopes.call(id);
    if (call?.phase !== "input" || typeof delta !== "string" || delta === "") return [];
    return [{ type: "tool-input-delta", ...call.scope.of, call: id, delta }];
  };
  const result = (id: string, { content, messageId, metadata, error }: Fields): Event[] => {
    const resultContent = contentOf(content);
    const known = ownOutcome(metadata) ?? (typeof error === "string" ? "error" : undefined);
    if (known || typeof messageId !== "string") return scopes.endCall(id, endOf(resultContent, known ?? "ok"));
    held = {
      entity: messageId,
      release: (encrypted = "") => scopes.endCall(id, endOf(resultContent, pydanticOutcome(encrypted) ?? "ok")),
    };
    return [];
  };

  const endChunk = (): Event[] => {
    const ended = chunk;
    chunk = undefined;
    if (!ended) return [];
    return ended.kind === "call" ? scopes.endInput(ended.id) : endPart(ended.kind, ended.id);
  };
  const takeChunk = (kind: "text" | "thinking" | "call", id: string | undefined, fields: Fields): Event[] => {
    const current = chunk;
    const named = id ?? (current?.kind === kind ? current.id : undefined);
    if (named === undefined) return [];
    const before = current && (current.kind !== kind || current.id !== named) ? endChunk() : [];
    chunk = { kind, id: named };
    if (kind !== "call") return [...before, ...more(kind, named, fields["delta"], idOf(fields["subagentRunId"]))];
    return [...before, ...startCall(named, fields), ...moreInput(named, fields["delta"])];
  };

  const finish = (fields: Fields): Event[] => {
    const outcome = fieldsOf(fields["outcome"]);
    const own = fieldsOf(fields["result"]);
    const usage = usageOf(fields["usage"]);
    const spent = usage && { usage };
    if (outcome["type"] === "interrupt") {
      const asks = interrupts(outcome["interrupts"]);
      if (asks.length > 0) return [...scopes.endSteps(), ...asks];
    }
    phase = "ended";
    if (outcome["type"] === "cancelled" || own["outcome"] === "cancelled")
      return [{ type: "run-end", outcome: "cancelled", error: CANCELLED, ...spent }];
    const reason = own["finish"] === "length" || own["finish"] === "filter" ? own["finish"] : undefined;
    // Some servers stream no text and send their answer only as part of the conversation.
    const unstreamed = hasText ? undefined : snapshot;
    const answer = unstreamed
      ? [...more("text", unstreamed.id, unstreamed.text, undefined), ...endPart("text", unstreamed.id)]
      : [];
    const events = [...answer, ...scopes.endSteps(reason), ...scopes.endAgents("done")];
    if (reason === undefined) events.push(...resultData(fields["result"]));
    // The caller of the remote runs these calls and sends their results.
    const awaiting = [...scopes.root.calls].filter((call) => scopes.call(call)?.phase !== "executing");
    for (const call of awaiting) events.push(...scopes.endCall(call, { outcome: "deferred" }));
    return [...events, { type: "run-end", outcome: "done", ...spent, ...(awaiting.length > 0 && { awaiting }) }];
  };
  const interrupts = (list: unknown): Event[] =>
    (Array.isArray(list) ? list : []).slice(0, MOST).flatMap((interrupt: unknown): Event[] => {
      const ask = askOf(
        fieldsOf(interrupt),
        (call) => scopes.call(call)?.phase === "ready" || scopes.call(call)?.phase === "input",
      );
      if (!ask) return [];
      const known = ask.call === undefined ? undefined : scopes.call(ask.call);
      const { call: _call, ...withoutCall } = ask;
      if (ask.call !== undefined && !known)
        return [{ ...withoutCall, kind: ask.kind === "approval" ? "confirmation" : ask.kind }];
      const scope = known?.scope ?? scopes.openOr(fieldsOf(interrupt)["subagentRunId"]);
      const executed = known && ask.kind !== "approval" ? scopes.execute(ask.call!) : [];
      return [...executed, { ...ask, ...scope.of }];
    });

  const take = (type: string, fields: Fields): Event[] => {
    const id = idOf(fields["messageId"]) ?? "message";
    const call = idOf(fields["toolCallId"]) ?? "call";
    const agent = idOf(fields["subagentRunId"]);
    switch (type) {
      case "TEXT_MESSAGE_START": {
        const role = fields["role"] ?? "assistant";
        // Some servers repeat the user's messages.
        if (role !== "assistant" || isIdOf("calls", id)) return [];
        if (isIdOf("part", id)) return startPart("text", id, agent);
        if (empty.size < MOST) empty.set(id, agent);
        return [];
      }
      case "TEXT_MESSAGE_CONTENT":
        return more("text", id, fields["delta"], agent);
      case "TEXT_MESSAGE_END":
        return endPart("text", id);
      case "TEXT_MESSAGE_CHUNK":
        return takeChunk("text", idOf(fields["messageId"]), fields);
      case "THINKING_TEXT_MESSAGE_START":
      case "REASONING_MESSAGE_START":
        return startPart("thinking", id, agent);
      case "THINKING_TEXT_MESSAGE_CONTENT":
      case "REASONING_MESSAGE_CONTENT":
        return more("thinking", id, fields["delta"], agent);
      case "THINKING_TEXT_MESSAGE_END":
        return endPart("thinking", id);
      case "REASONING_MESSAGE_END":
        held = {
          entity: id,
          release: (encrypted) => endPart("thinking", id, encrypted === undefined ? undefined : metaOf(encrypted)),
        };
        return [];
      case "REASONING_MESSAGE_CHUNK":
        return takeChunk("thinking", idOf(fields["messageId"]), fields);
      case "TOOL_CALL_START":
        return startCall(call, fields);
      case "TOOL_CALL_ARGS":
        return moreInput(call, fields["delta"]);
      case "TOOL_CALL_END":
        return scopes.endInput(call);
      case "TOOL_CALL_CHUNK":
        return takeChunk("call", idOf(fields["toolCallId"]), fields);
      case "TOOL_CALL_RESULT":
        return result(call, fields);
      case "STEP_STARTED": {
        const { scope, events } = scopes.of(agent);
        return [...events, ...scopes.startStep(scope, idOf(fields["stepName"]) ?? "step")];
      }
      case "STEP_FINISHED": {
        const { scope, events } = scopes.of(agent);
        return scope.step?.name === fields["stepName"] ? [...events, ...scopes.endStep(scope)] : events;
      }
      case "SUBAGENT_STARTED":
        return agent === undefined ? [] : scopes.startAgent({ agent, ...aboutAgent(fields) });
      case "SUBAGENT_FINISHED":
        return agent === undefined || fieldsOf(fields["outcome"])["type"] === "suspended"
          ? []
          : [...resultData(fields["result"], scopes.openOr(agent).of), ...scopes.endAgent(agent, "done")];
      case "SUBAGENT_ERROR":
        return agent === undefined ? [] : endFailed(scopes, agent, fields);
      case "STATE_SNAPSHOT":
      case "STATE_DELTA":
      case "CUSTOM": {
        const data = dataOf(type, fields);
        return data ? [{ ...data, ...scopes.openOr(agent).of }] : [];
      }
      case "MESSAGES_SNAPSHOT":
        snapshot = answerIn(fields["messages"]);
        return [];
      case "ACTIVITY_SNAPSHOT":
      case "ACTIVITY_DELTA":
        return activityEvents(scopes, type, fields);
      case "RUN_FINISHED":
        return finish(fields);
      case "RUN_ERROR":
        phase = "ended";
        return [{ type: "run-end", outcome: "error", error: problemOf(fields) }];
      default:
        return [];
    }
  };

  const decode = ({ data }: Frame): readonly Event[] => {
    const fields = phase === "ended" ? undefined : parseFields(data);
    const type = fields && textOf(fields["type"]);
    if (!fields || type === undefined) return [];
    if (type === "RUN_STARTED") {
      if (phase !== "before") return release();
      phase = "running";
      const run = idOf(fields["runId"]) ?? "remote";
      return [{ type: "run-start", protocol: PROTOCOL, run, name: "remote" }];
    }
    if (type === "REASONING_ENCRYPTED_VALUE") {
      const value = textOf(fields["encryptedValue"]);
      return held?.entity === fields["entityId"] ? release(value) : [];
    }
    const before = release();
    const over = ASIDE.test(type) || type.endsWith("_CHUNK") ? [] : endChunk();
    return [...before, ...over, ...take(type, fields)];
  };
  return Object.assign(decode, { pause: () => release() });
};

/** Far more than a real conversation has open of anything. */
const MOST = 4096;
const CANCELLED = { code: "cancelled", message: "the upstream server cancelled the run" };
/** Events that may occur between two chunks of one message. */
const ASIDE = /^(?:STATE|ACTIVITY|CUSTOM|RAW)/;

/** The agent's message at the end of a conversation. */
const answerIn = (messages: unknown): { readonly id: string; readonly text: string } | undefined => {
  const { id, role, content } = fieldsOf(listOf(messages).at(-1));
  const text = textOf(content);
  return role === "assistant" && text !== undefined ? { id: idOf(id) ?? "message", text } : undefined;
};

/** What a run or a sub-agent returned, apart from what it said. */
const resultData = (result: unknown, of: { readonly agent?: string } = {}): Event[] =>
  result === undefined || result === null ? [] : [{ type: "data", name: "result", value: result as Json, ...of }];

const aboutAgent = ({ name, description, parentSubagentRunId, parentToolCallId }: Fields) => ({
  name: textOf(name) ?? "sub-agent",
  ...(typeof description === "string" && { task: description }),
  parent: parentSubagentRunId,
  call: parentToolCallId,
});

const endFailed = (scopes: Scopes, agent: string, fields: Fields): Event[] => {
  const error = problemOf(fields);
  const outcome = error.code === "cancelled" || error.code === "interrupted" ? error.code : "error";
  return scopes.endAgent(agent, outcome, error);
};

const problemOf = ({ message, code }: Fields): NonNullable<EventOf<"run-end">["error"]> => ({
  code: textOf(code) ?? "upstream-error",
  message: textOf(message) ?? "the upstream server failed without giving a reason",
});

const usageOf = (value: unknown): Usage | undefined => {
  const totals: Record<string, number> = {};
  for (const one of Array.isArray(value) ? value : []) {
    const { inputTokens, outputTokens, reasoningTokens, cachedInputTokens } = fieldsOf(one);
    const counts = { input: inputTokens, output: outputTokens, reasoning: reasoningTokens, cached: cachedInputTokens };
    for (const [name, count] of Object.entries(counts))
      if (Number.isSafeInteger(count) && (count as number) >= 0) totals[name] = (totals[name] ?? 0) + (count as number);
  }
  return Object.keys(totals).length > 0 ? totals : undefined;
};
