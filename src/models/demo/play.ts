import { APICallError, type LanguageModelV4StreamPart, type LanguageModelV4Usage } from "@ai-sdk/provider";
import type { Beat } from "./story.ts";

const TOKENS_PER_SECOND = 60;
const FIRST_TOKEN_MS = 250;

export interface Playing {
  readonly speed: number;
  readonly promptTokens: number;
  readonly signal: AbortSignal | undefined;
  /** An id for the n-th call of this response. */
  callId(index: number): string;
}

/** Streams beats as a provider would, at the speed of a model whose output can be read along. */
export async function* play(beats: readonly Beat[], playing: Playing): AsyncGenerator<LanguageModelV4StreamPart> {
  const wait = (ms: number) => pause(ms / playing.speed, playing.signal);
  let tokens = 0;
  let thought = 0;
  let calls = 0;

  async function* deltas(
    type: "text-delta" | "reasoning-delta" | "tool-input-delta",
    id: string,
    words: string | readonly string[],
  ) {
    for (const delta of typeof words === "string" ? pieces(words) : words) {
      tokens += 1;
      const waited = wait(1000 / TOKENS_PER_SECOND);
      if (waited) await waited;
      yield { type, id, delta } as const;
    }
  }

  yield { type: "stream-start", warnings: [] };
  await wait(FIRST_TOKEN_MS);
  for (const [index, beat] of beats.entries()) {
    const id = `${index}`;
    if ("say" in beat) {
      yield { type: "text-start", id };
      yield* deltas("text-delta", id, beat.say);
      yield { type: "text-end", id };
    } else if ("think" in beat) {
      const before = tokens;
      yield { type: "reasoning-start", id };
      yield* deltas("reasoning-delta", id, beat.think);
      yield { type: "reasoning-end", id };
      thought += tokens - before;
    } else if ("call" in beat) {
      const {
        call: toolName,
        text = JSON.stringify(beat.input ?? {}),
        whole,
        id: toolCallId = playing.callId(calls),
      } = beat;
      calls += 1;
      if (!whole) {
        yield { type: "tool-input-start", id: toolCallId, toolName };
        yield* deltas("tool-input-delta", toolCallId, text);
        yield { type: "tool-input-end", id: toolCallId };
      }
      yield { type: "tool-call", toolCallId, toolName, input: text };
    } else if ("provider" in beat) {
      const { provider: toolName, input, result, takesMs = 0 } = beat;
      const toolCallId = playing.callId(1000 + index);
      yield { type: "tool-input-start", id: toolCallId, toolName, providerExecuted: true };
      yield* deltas("tool-input-delta", toolCallId, JSON.stringify(input));
      yield { type: "tool-input-end", id: toolCallId };
      yield { type: "tool-call", toolCallId, toolName, input: JSON.stringify(input), providerExecuted: true };
      await wait(takesMs);
      yield { type: "tool-result", toolCallId, toolName, result };
    } else if ("cite" in beat) {
      yield { type: "source", sourceType: "url", id, ...beat.cite };
    } else if ("fail" in beat) {
      yield { type: "error", error: failure(beat, playing.speed) };
    } else {
      yield beat.part;
    }
  }
  if (beats.some((beat) => "part" in beat && beat.part.type === "finish")) return;
  yield {
    type: "finish",
    finishReason: { unified: calls > 0 ? "tool-calls" : "stop", raw: undefined },
    usage: usage(playing.promptTokens, tokens, thought),
  };
}

export const failure = ({ fail }: Extract<Beat, { fail: unknown }>, speed: number): APICallError =>
  new APICallError({
    message: fail.message,
    url: "demo:",
    requestBodyValues: {},
    statusCode: fail.status,
    ...(fail.retryMs !== undefined && { responseHeaders: { "retry-after-ms": `${Math.round(fail.retryMs / speed)}` } }),
  });

const usage = (input: number, output: number, reasoning: number): LanguageModelV4Usage => ({
  inputTokens: { total: input, noCache: input, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: output, text: output - reasoning, reasoning },
});

/** Splits text into words, and long words in two, similar to a tokenizer. */
const pieces = (text: string): string[] =>
  (text.match(/\s*\S+\s*$|\s*\S+/g) ?? [text]).flatMap((word) =>
    word.length > 8 ? [word.slice(0, word.length >> 1), word.slice(word.length >> 1)] : [word],
  );

/** Undefined if there is no delay: at infinite speed the whole response is available immediately. */
const pause = (ms: number, signal: AbortSignal | undefined): Promise<void> | undefined => {
  signal?.throwIfAborted();
  if (ms <= 0) return undefined;
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, ms);
    signal?.addEventListener("abort", abort, { once: true });
  });
};
