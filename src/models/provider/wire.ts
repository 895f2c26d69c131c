import { AsyncLocalStorage } from "node:async_hooks";
import type { LanguageModelV4, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { JSONParseError, TypeValidationError } from "@ai-sdk/provider";
import type { Aside, CreateFormat } from "./format.ts";
import { readAnswer } from "./read-answer.ts";

const asides = new AsyncLocalStorage<Aside>();

/**
 * A model whose responses are inspected before its library reads them. Server extensions, omissions and faults are
 * normalized, emitted separately, or reported with their cause. Its stream is returned immediately, so keep-alives
 * also count before the first token.
 */
export const wired = (
  createFormat: CreateFormat,
  make: (fetch: typeof globalThis.fetch) => LanguageModelV4,
): LanguageModelV4 => {
  const model = make(async (input, init) => {
    const aside = asides.getStore();
    const response = await fetch(input, init);
    return aside ? await readAnswer(response, createFormat(aside), aside, init?.signal ?? undefined) : response;
  });
  return {
    specificationVersion: model.specificationVersion,
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    doGenerate: (options) => model.doGenerate(options),
    doStream: async (options) => ({ stream: streamOf((aside) => asides.run(aside, () => model.doStream(options))) }),
  };
};

type StreamPart = LanguageModelV4StreamPart;
type Ask = (aside: Aside) => ReturnType<LanguageModelV4["doStream"]>;

const streamOf = (ask: Ask): ReadableStream<StreamPart> => {
  let reader: ReadableStreamDefaultReader<StreamPart> | undefined;
  let isOver = false;
  const unreadable = createUnreadable();
  const createAside = (controller: ReadableStreamDefaultController<StreamPart>): Aside => {
    let receivedAt = performance.now();
    const part = (one: StreamPart) => {
      if (!isOver) controller.enqueue(one);
    };
    return {
      part,
      alive: () => part({ type: "raw", rawValue: ALIVE }),
      received() {
        const now = performance.now();
        if (now - receivedAt < RECEIVED_MS) return;
        receivedAt = now;
        part(RECEIVED);
      },
      skipped: () => part(SKIPPED),
    };
  };
  const end = (controller: ReadableStreamDefaultController<StreamPart>, last?: StreamPart): void => {
    if (isOver) return;
    if (last) controller.enqueue(last);
    isOver = true;
    controller.close();
  };

  let aside: Aside | undefined;
  return new ReadableStream<StreamPart>({
    async start(controller) {
      aside = createAside(controller);
      try {
        reader = (await ask(aside)).stream.getReader();
      } catch (error) {
        end(controller, { type: "error", error: aside.failure ?? error });
      }
    },
    async pull(controller) {
      if (!reader || isOver) return;
      try {
        const { done, value } = await reader.read();
        if (done) return end(controller);
        for (const part of unreadable(value))
          controller.enqueue(part.type === "error" && aside?.failure ? { ...part, error: aside.failure } : part);
      } catch (error) {
        end(controller, { type: "error", error: aside?.failure ?? error });
      }
    },
    async cancel(reason) {
      isOver = true;
      await reader?.cancel(reason);
    },
  });
};

/** Only signals that the provider is alive. The agent's loop then shows that the model is queued. */
const ALIVE = { alive: true };

/** Shows that the provider is not silent, even if its library emits nothing. */
const RECEIVED: StreamPart = { type: "raw", rawValue: {} };
const RECEIVED_MS = 250;

const SKIPPED: StreamPart = {
  type: "stream-start",
  warnings: [{ type: "other", message: "The model sent something that could not be read. It was skipped." }],
};

/** Whether the response ended without a reason from the provider. Some providers never send `raw`. */
const isCut = ({ raw, unified }: Extract<StreamPart, { type: "finish" }>["finishReason"]): boolean =>
  raw === undefined && ["error", "interrupted", "other"].includes(unified);

/** Libraries treat an unknown chunk as the end of the response. It is a failure only if nothing else could be read. */
const createUnreadable = () => {
  let first: StreamPart | undefined;
  return (part: StreamPart): readonly StreamPart[] => {
    if (
      part.type === "error" &&
      (TypeValidationError.isInstance(part.error) || JSONParseError.isInstance(part.error))
    ) {
      first ??= part;
      return [SKIPPED];
    }
    return first && part.type === "finish" && isCut(part.finishReason) ? [first] : [part];
  };
};
