import { z } from "zod";
import { type Fields, fieldsOf } from "../../json.ts";
import type { AskAnswer } from "../../dialect.ts";
import type { Content, Json, Message, Part } from "../../events.ts";

/** A message as `useChat` stores it. Parts without a meaning here are skipped. */
export const uiMessageSchema = z.looseObject({
  role: z.enum(["system", "user", "assistant"]),
  parts: z.array(z.looseObject({ type: z.string() })),
});
export type UIMessage = z.infer<typeof uiMessageSchema>;

// ── From the client ───────────────────────────────────────────────────────────────────────────────────────────────────

export const readMessages = (messages: readonly UIMessage[]): Message[] => messages.flatMap(readMessage);

/** The answers in the client's last message: approvals of calls that have no result yet. */
export const readApprovals = (messages: readonly UIMessage[]): AskAnswer[] => {
  const last = messages.at(-1);
  if (last?.role !== "assistant") return [];
  return last.parts.flatMap((part): AskAnswer[] => {
    if (part["state"] !== "approval-responded") return [];
    const { id, approved, reason } = fieldsOf(part["approval"]);
    if (typeof id !== "string" || typeof approved !== "boolean") return [];
    return [{ ask: id, answer: { allow: approved, ...(typeof reason === "string" && reason !== "" && { reason }) } }];
  });
};

const readMessage = ({ role, parts }: UIMessage): Message[] => {
  if (role === "assistant") return readSteps(parts);
  const content = parts.flatMap(readWords);
  return content.length > 0 ? [{ role, content }] : [];
};

/** In the SDK, one message holds a whole turn of the agent. Here, each step is one message and its results are another. */
const readSteps = (parts: readonly Fields[]): Message[] => {
  const messages: Message[] = [];
  let content: Part[] = [];
  let results: Part[] = [];
  const flush = (): void => {
    if (content.length > 0) messages.push({ role: "assistant", content });
    if (results.length > 0) messages.push({ role: "tool", content: results });
    content = [];
    results = [];
  };
  for (const part of parts) {
    if (part["type"] === "step-start") flush();
    const call = readCall(part);
    if (!call) {
      content.push(...readWords(part));
      continue;
    }
    content.push(call);
    (part["providerExecuted"] === true ? content : results).push(readResult(part, call));
  }
  flush();
  return messages;
};

const readWords = (part: Fields): Part[] => {
  const { type, text, url, mediaType, filename } = part;
  if (type === "text" && typeof text === "string") return text === "" ? [] : [{ type, text }];
  if (type === "reasoning" && typeof text === "string") {
    const { meta } = ownMetadata(part["providerMetadata"]);
    return text === "" && meta === undefined
      ? []
      : [{ type: "thinking", text, ...(meta !== undefined && { meta: meta as Json }) }];
  }
  if (type !== "file" || typeof url !== "string" || typeof mediaType !== "string") return [];
  const data = /^data:[^,]*;base64,([^]*)$/.exec(url)?.[1];
  const name = typeof filename === "string" ? { name: filename } : {};
  return [{ type, mediaType, ...name, ...(data === undefined ? { url } : { data }) }];
};

type Call = Extract<Part, { type: "call" }>;

const readCall = (part: Fields): Call | undefined => {
  const { type, toolCallId: call, state, input } = part;
  if (typeof type !== "string" || typeof call !== "string" || call === "" || call.length > 256) return undefined;
  const name = type === "dynamic-tool" ? part["toolName"] : /^tool-(.+)$/s.exec(type)?.[1];
  const { meta, agent } = ownMetadata(part["callProviderMetadata"]);
  // Calls that the model never finished and calls of sub-agents are not part of the conversation.
  if (typeof name !== "string" || state === "input-streaming" || agent !== undefined) return undefined;
  return {
    type: "call",
    call,
    name,
    input: (input ?? {}) as Json,
    ...(meta !== undefined && { meta: meta as Json }),
  };
};

const readResult = ({ state, output, errorText, approval }: Fields, { call, name }: Call): Part => {
  const result = (content: Content, error?: true): Part => ({
    type: "result",
    call,
    name,
    content: [content],
    ...(error && { error }),
  });
  if (state === "output-available")
    return result(typeof output === "string" ? textContent(output) : { type: "json", value: (output ?? null) as Json });
  if (state === "output-error") return result(textContent(String(errorText)), true);
  const { reason } = fieldsOf(approval);
  if (state === "output-denied")
    return result(textContent(`Denied.${typeof reason === "string" ? ` ${reason}` : ""}`), true);
  return result(textContent("The call has no result."), true);
};

const textContent = (text: string): Content => ({ type: "text", text });

/** The metadata that we add to a part. */
const ownMetadata = (metadata: unknown): Fields => fieldsOf(fieldsOf(metadata)["runcast"]);

// ── To a server ───────────────────────────────────────────────────────────────────────────────────────────────────────

type Mutable = Record<string, unknown> & { type: string };
interface Written {
  id: string;
  readonly role: string;
  readonly parts: Mutable[];
}

/** The inverse, with answers in the parts of their calls. Merges neighboring messages of the agent into one. */
export const writeMessages = (messages: readonly Message[], answers: readonly AskAnswer[] = []): Written[] => {
  const written: Written[] = [];
  const calls = new Map<string, Mutable>();
  for (const { role, content } of messages) {
    const ofAgent = role === "assistant" || role === "tool";
    const last = written.at(-1);
    const message =
      ofAgent && last?.role === "assistant"
        ? last
        : { id: `message-${written.length + 1}`, role: ofAgent ? "assistant" : role, parts: [] };
    if (message !== last) written.push(message);
    if (role === "assistant") message.parts.push({ type: "step-start" });
    for (const part of content) message.parts.push(...writePart(part, calls));
  }
  for (const { ask, call, answer } of answers) {
    const part = call === undefined ? undefined : calls.get(call);
    if (part?.["state"] !== "input-available" || answer.allow === undefined) continue;
    part["state"] = "approval-responded";
    part["approval"] = { id: ask, approved: answer.allow, ...(answer.reason && { reason: answer.reason }) };
  }
  return written;
};

const writePart = (part: Part, calls: Map<string, Mutable>): Mutable[] => {
  switch (part.type) {
    case "text":
      return [{ type: "text", text: part.text }];
    case "thinking":
      return [
        { type: "reasoning", text: part.text, ...(part.meta !== undefined && { providerMetadata: owned(part.meta) }) },
      ];
    case "file": {
      const { mediaType, name, url, data } = part;
      const href = data === undefined ? (url ?? "") : `data:${mediaType};base64,${data}`;
      return [{ type: "file", mediaType, url: href, ...(name !== undefined && { filename: name }) }];
    }
    case "call": {
      const { call, name, input, meta } = part;
      const written = { type: `tool-${name}`, toolCallId: call, state: "input-available", input };
      const known = { ...written, ...(meta !== undefined && { callProviderMetadata: owned(meta) }) };
      calls.set(call, known);
      return [known];
    }
    case "result": {
      const known = calls.get(part.call);
      if (!known) return [];
      const [first] = part.content;
      const output =
        part.content.length === 1 && first?.type === "json" ? first.value : part.content.map(contentText).join("\n");
      if (part.error) Object.assign(known, { state: "output-error", errorText: String(output) });
      else Object.assign(known, { state: "output-available", output });
      return [];
    }
  }
};

const owned = (meta: Json) => ({ runcast: { meta } });

const contentText = (content: Content): string => {
  if (content.type === "text") return content.text;
  if (content.type === "json") return JSON.stringify(content.value);
  return content.type === "link" ? content.url : (content.head ?? `${content.name ?? content.file}`);
};
