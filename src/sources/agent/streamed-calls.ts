import type { LanguageModelV4StreamPart, SharedV4ProviderMetadata } from "@ai-sdk/provider";
import type { CallOutcome, Content, Json } from "../../events.ts";
import { withProviderId } from "../../ids.ts";
import { type AssistantPart, argumentsOf, metaOf, optionsOf } from "./prompt.ts";
import { providerResult } from "./provider-result.ts";
import type { Worker } from "./running.ts";
import { parseJson } from "../../json.ts";

/** A call that the model requested and that the agent or the client must run. */
export interface PendingCall {
  readonly call: string;
  readonly name: string;
  /** The arguments as the model wrote them. `input` is undefined if they are not JSON. */
  readonly text: string;
  readonly input: Json | undefined;
  /** The call in the message that goes back to the model. Changed if the user edits the arguments. */
  readonly message: Extract<AssistantPart, { type: "tool-call" }>;
}

/** The calls of one response, from the first delta of their arguments to the complete call. */
export interface StreamedCalls {
  /** Whether the part was about a call. Returns a promise only if it needs time, such as bytes to store. */
  take(part: LanguageModelV4StreamPart): boolean | Promise<boolean>;
  close(): void;
  cut(outcome: CallOutcome): void;
  readonly pending: readonly PendingCall[];
  /** Calls that the provider runs only if the user allows it. */
  readonly guarded: readonly GuardedCall[];
}

export interface GuardedCall {
  readonly call: string;
  readonly name: string;
  readonly approvalId: string;
}

export const streamedCalls = (
  { run, emit, provided, tools, clientRun }: Worker,
  content: AssistantPart[],
): StreamedCalls => {
  const open = new Map<string, OpenCall>();
  const pending: PendingCall[] = [];
  const guarded: GuardedCall[] = [];

  const start = (id: string, name: string, about: About): OpenCall => {
    const call = run.newId("call");
    const opened: OpenCall = {
      call,
      id,
      promptId: run.promptId(id, call),
      name,
      provider: about.providerExecuted ?? false,
      raw: about.inputEncoding === "text",
    };
    open.set(id, opened);
    const title = about.title ?? tools.get(name)?.tool.title;
    emit({
      type: "tool-start",
      call,
      name,
      ...(title !== undefined && { title }),
      ...(opened.provider && { provider: true }),
      ...(clientRun.has(name) && { client: true }),
      ...withProviderId(id, about.providerMetadata),
    });
    return opened;
  };

  const whole = (part: Extract<LanguageModelV4StreamPart, { type: "tool-call" }>): void => {
    const { toolCallId, toolName: name, providerExecuted, providerMetadata } = part;
    const opened = open.get(toolCallId) ?? start(toolCallId, name, part);
    const { call, streamed, ended } = opened;
    const text = part.input.trim() === "" ? "{}" : part.input;
    const input = parseJson(text);
    // Whether the parsed value preserves the text: it may have lost digits of a number, or a duplicate key.
    const isExact = input !== undefined && JSON.stringify(input) === text;
    if (!ended) {
      if (!streamed && !isExact) emit({ type: "tool-input-delta", call, delta: text });
      emit({
        type: "tool-input-end",
        call,
        ...(!streamed && isExact && { input }),
        ...metaOfCall(opened, providerMetadata),
      });
    }
    const message: PendingCall["message"] = {
      type: "tool-call",
      toolCallId: opened.promptId,
      toolName: name,
      // Invalid arguments become an empty object. The result describes what was wrong.
      input: argumentsOf(input),
      ...(providerExecuted && { providerExecuted }),
      ...optionsOf(providerMetadata),
    };
    content.push(message);
    if (providerExecuted) {
      opened.executing = true;
      emit({ type: "tool-execute", call });
    } else {
      open.delete(toolCallId);
      pending.push({ call, name, text, input, message });
    }
  };

  const keep = async (image: string): Promise<Content> => {
    const mediaType = "image/png";
    const kept = await run.context.put(Buffer.from(image, "base64"), { mediaType });
    return { type: "file", file: kept.file, mediaType, bytes: kept.bytes };
  };

  const result = async (part: Extract<LanguageModelV4StreamPart, { type: "tool-result" }>): Promise<void> => {
    const found = open.get(part.toolCallId) ?? earlier(part.toolCallId);
    if (!found) return;
    const { call, name, promptId } = found;
    const value = part.result as NonNullable<Json>;
    if (part.preliminary) return emit({ type: "tool-progress", call, value });
    const { content: output, images, failure } = providerResult(value, part.isError ?? false);
    open.delete(part.toolCallId);
    provided.delete(call);
    const type = failure === undefined ? "json" : "error-json";
    content.push({ type: "tool-result", toolCallId: promptId, toolName: name, output: { type, value } });
    const message = failure || `${name} failed at the provider`;
    emit({
      type: "tool-end",
      call,
      outcome: failure === undefined ? "ok" : "error",
      content: [...output, ...(await Promise.all(images.map(keep)))],
      ...(failure !== undefined && { error: { code: "provider-tool-failed", message } }),
      ...metaOf(part.providerMetadata),
    });
  };

  const release = (opened: OpenCall) => {
    if (opened.held !== undefined && !opened.ended && !opened.executing)
      emit({ type: "tool-input-delta", call: opened.call, delta: opened.held });
    opened.held = undefined;
  };

  /** A call of an earlier step. The provider may use its own id or the one from the prompt. */
  const earlier = (id: string) =>
    [...provided.values()].find((call) => call.id === id) ??
    [...provided.values()].find((call) => call.promptId === id);

  return {
    take(part) {
      switch (part.type) {
        case "tool-input-start":
          start(part.id, part.toolName, part);
          return true;
        case "tool-input-delta": {
          const found = open.get(part.id);
          if (!found || found.raw || part.delta === "") return true;
          // Libraries emit arguments that arrived in one piece as a delta. The call that follows contains them again.
          if (!found.streamed && found.held === undefined && isWhole(part.delta)) {
            found.held = part.delta;
            return true;
          }
          release(found);
          found.streamed = true;
          emit({
            type: "tool-input-delta",
            call: found.call,
            delta: part.delta,
            ...metaOfCall(found, part.providerMetadata),
          });
          return true;
        }
        case "tool-input-end": {
          const found = open.get(part.id);
          if (!found?.streamed) return true;
          found.ended = true;
          emit({ type: "tool-input-end", call: found.call, ...metaOfCall(found, part.providerMetadata) });
          return true;
        }
        case "tool-call":
          whole(part);
          return true;
        case "tool-result":
          return result(part).then(() => true);
        case "tool-approval-request": {
          const found = open.get(part.toolCallId);
          if (found) guarded.push({ call: found.call, name: found.name, approvalId: part.approvalId });
          return true;
        }
        default:
          return false;
      }
    },
    close() {
      for (const [id, opened] of open) {
        const { call, name, provider, executing, promptId } = opened;
        release(opened);
        if (executing) provided.set(call, { call, name, id, promptId });
        else if (provider) emit({ type: "tool-end", call, outcome: "interrupted" });
        else emit({ type: "tool-end", call, outcome: "error", error: UNFINISHED });
      }
      open.clear();
    },
    cut(outcome) {
      open.forEach(release);
      for (const { call } of [...open.values(), ...pending]) emit({ type: "tool-end", call, outcome });
      open.clear();
    },
    pending,
    guarded,
  };
};

/** Keeps the provider's call id when the provider sends more metadata for the call. */
const metaOfCall = ({ id }: OpenCall, metadata: unknown): { meta?: Json } =>
  metadata === undefined ? {} : withProviderId(id, metadata);

interface OpenCall {
  readonly call: string;
  /** The provider's id for the call, and the id used in the prompt. */
  readonly id: string;
  readonly promptId: string;
  readonly name: string;
  readonly provider: boolean;
  /** Its deltas are not JSON. The arguments are shown when they are complete. */
  readonly raw: boolean;
  /** A delta that contains all arguments. */
  held?: string | undefined;
  streamed?: boolean;
  ended?: boolean;
  executing?: boolean;
}
interface About {
  readonly providerExecuted?: boolean;
  readonly title?: string;
  readonly inputEncoding?: "json" | "text";
  readonly providerMetadata?: SharedV4ProviderMetadata;
}

const UNFINISHED = { code: "invalid-input", message: "The model stopped before the arguments were complete." };

const isWhole = (delta: string): boolean => /^\s*\{[^]*\}\s*$/.test(delta) && parseJson(delta) !== undefined;
