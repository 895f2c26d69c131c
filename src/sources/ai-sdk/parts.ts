import type { LanguageModelUsage, TextStreamPart } from "ai";
import type { Event, EventOf, Json, Usage } from "../../events.ts";
import { finishOf } from "../../dialects/ai-sdk-protocol/finish.ts";
import { progressOf } from "../../dialects/ai-sdk-protocol/progress.ts";
import { withProviderId } from "../../ids.ts";
import { messageOf } from "../../message-of.ts";

// As in `AiSdkResult`: the types depend on the agent's tools.
// oxlint-disable-next-line typescript/no-explicit-any
type StreamPart = TextStreamPart<any>;

/** Converts the streams of one run into events. */
export interface PartReader {
  take(part: StreamPart): Event[];
  /** The SDK starts to execute a call. */
  execute(toolCallId: string): Event[];
  took(toolCallId: string, ms: number): void;
  /** The asks since the last call. */
  takeAsks(): readonly { readonly ask: string; readonly approvalId: string }[];
  /** Ends the remaining calls as deferred, for the client to run. */
  end(): Event[];
}

interface Call {
  readonly id: string;
  readonly isClient: boolean;
  readonly step: string;
  hasDeltas: boolean;
  phase: "input" | "ready" | "executing" | "ended";
  /** The SDK started to execute it before its input was read here. */
  isDue: boolean;
  ms: number | undefined;
}

export const createPartReader = (
  newId: (kind: "call" | "ask") => string,
  isClientTool: (name: string) => boolean,
): PartReader => {
  const calls = new Map<string, Call>();
  let asks: { ask: string; approvalId: string }[] = [];
  let step = "";
  let steps = 0;
  let streams = 0;

  const partId = (id: string): string => `${step}-${id}`;

  const start = (toolCallId: string, toolName: string, title: string | undefined, meta: unknown): Event[] => {
    const known = calls.get(toolCallId);
    // Some providers use the same ids in every response.
    if (known && (known.phase !== "ended" || known.step === step)) return [];
    const id = newId("call");
    const isClient = isClientTool(toolName);
    calls.set(toolCallId, {
      id,
      isClient,
      step,
      hasDeltas: false,
      phase: "input",
      isDue: false,
      ms: undefined,
    });
    return [
      {
        type: "tool-start",
        call: id,
        name: toolName,
        ...(title !== undefined && { title }),
        ...(isClient ? { client: true } : { provider: true }),
        ...withProviderId(toolCallId, meta),
      },
    ];
  };

  const ready = (call: Call, input: unknown): Event[] => {
    if (call.phase !== "input") return [];
    call.phase = "ready";
    const whole = call.hasDeltas || input === undefined ? {} : { input: input as Json };
    return [{ type: "tool-input-end", call: call.id, ...whole }, ...(call.isDue ? begin(call) : [])];
  };

  const begin = (call: Call): Event[] => {
    if (call.phase === "input") call.isDue = true;
    if (call.phase !== "ready" || call.isClient) return [];
    call.phase = "executing";
    return [{ type: "tool-execute", call: call.id }];
  };

  const end = (toolCallId: string, fields: Omit<EventOf<"tool-end">, "type" | "call">): Event[] => {
    const call = calls.get(toolCallId);
    if (!call || call.phase === "ended") return [];
    const before = ready(call, undefined);
    call.phase = "ended";
    return [...before, { type: "tool-end", call: call.id, ...fields, ...(call.ms !== undefined && { ms: call.ms }) }];
  };

  const progress = (toolCallId: string, output: unknown): Event[] => {
    const call = calls.get(toolCallId);
    if (!call) return [];
    const before = begin(call);
    return call.phase === "executing"
      ? [...before, { type: "tool-progress", call: call.id, ...progressOf(output) }]
      : before;
  };

  const take = (part: StreamPart): Event[] => {
    switch (part.type) {
      case "start":
        streams++;
        return [];
      case "start-step":
        step = `step-${streams}-${++steps}`;
        return [{ type: "step-start", step }];
      case "finish-step": {
        const usage = usageOf(part.usage);
        return [{ type: "step-end", step, finish: finishOf(part.finishReason), ...(usage && { usage }) }];
      }
      case "text-start":
        return [{ type: "text-start", part: partId(part.id) }];
      case "text-delta":
        return part.text === "" ? [] : [{ type: "text-delta", part: partId(part.id), delta: part.text }];
      case "text-end":
        return [{ type: "text-end", part: partId(part.id) }];
      case "reasoning-start":
        return [{ type: "thinking-start", part: partId(part.id), ...metaOf(part.providerMetadata) }];
      case "reasoning-delta":
        return [{ type: "thinking-delta", part: partId(part.id), delta: part.text, ...metaOf(part.providerMetadata) }];
      case "reasoning-end":
        return [{ type: "thinking-end", part: partId(part.id), ...metaOf(part.providerMetadata) }];
      case "tool-input-start":
        return start(part.id, part.toolName, part.title, part.providerMetadata);
      case "tool-input-delta": {
        const call = calls.get(part.id);
        if (call?.phase !== "input") return [];
        call.hasDeltas = true;
        return [{ type: "tool-input-delta", call: call.id, delta: part.delta }];
      }
      case "tool-call": {
        const { toolCallId, toolName, title, input, providerMetadata } = part;
        const before = start(toolCallId, toolName, title, providerMetadata);
        const call = calls.get(toolCallId);
        return call ? [...before, ...ready(call, input)] : before;
      }
      case "tool-result":
        if (part.preliminary) return progress(part.toolCallId, part.output);
        return end(part.toolCallId, { outcome: "ok", value: (part.output ?? null) as Json });
      case "tool-error":
        return end(part.toolCallId, {
          outcome: "error",
          error: { code: "tool-failed", message: messageOf(part.error) },
        });
      case "tool-output-denied":
        return end(part.toolCallId, { outcome: "denied" });
      case "tool-approval-request": {
        const call = calls.get(part.toolCall.toolCallId);
        if (part.isAutomatic || !call || call.phase === "ended") return [];
        const ask = newId("ask");
        asks.push({ ask, approvalId: part.approvalId });
        const message = part.reason === undefined ? {} : { message: part.reason };
        return [
          ...ready(call, undefined),
          { type: "ask-start", ask, kind: "approval", call: call.id, allows: ["reason"], ...message },
        ];
      }
      case "source":
        return part.sourceType === "url"
          ? [
              {
                type: "citation",
                citation: part.id,
                url: part.url,
                ...(part.title !== undefined && { title: part.title }),
              },
            ]
          : [{ type: "citation", citation: part.id, title: part.title }];
      default:
        return [];
    }
  };

  return {
    take,
    execute: (toolCallId) => {
      const call = calls.get(toolCallId);
      return call ? begin(call) : [];
    },
    took: (toolCallId, ms) => {
      const call = calls.get(toolCallId);
      if (call) call.ms = Math.max(0, ms);
    },
    takeAsks: () => {
      const taken = asks;
      asks = [];
      return taken;
    },
    end: () => {
      const open = [...calls.values()].filter(({ phase }) => phase === "input" || phase === "ready");
      if (open.length === 0) return [];
      const ends = open.map(({ id }): Event => ({ type: "tool-end", call: id, outcome: "deferred" }));
      return [...ends, { type: "run-end", outcome: "done", awaiting: open.map(({ id }) => id) }];
    },
  };
};

const metaOf = (meta: unknown): { readonly meta?: Json } => (meta === undefined ? {} : { meta: meta as Json });

const usageOf = (usage: LanguageModelUsage): Usage | undefined => {
  const { inputTokens: input, outputTokens: output } = usage;
  const reasoning = usage.outputTokenDetails?.reasoningTokens;
  const cached = usage.inputTokenDetails?.cacheReadTokens;
  const known = Object.entries({ input, output, reasoning, cached }).filter(([, count]) => typeof count === "number");
  return known.length > 0 ? Object.fromEntries(known) : undefined;
};
