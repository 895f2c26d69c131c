import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { Event } from "../../events.ts";

/** Shows that a model is queued: its provider is there, and nothing comes of the answer. */
export interface Queued {
  take(part: LanguageModelV4StreamPart): void;
  /** The answer is there, or will not come. */
  end(): void;
}

/** Many providers give one sign of life at once: the second says that it takes its time. */
const SIGNS = 2;

export const queued = (emit: (event: Event) => void): Queued => {
  let signs = 0;
  let isShown = false;
  const end = () => {
    signs = Number.POSITIVE_INFINITY;
    if (isShown) emit({ type: "status", text: "" });
    isShown = false;
  };
  return {
    take(part) {
      if (!isSign(part)) return part.type === "stream-start" || part.type === "response-metadata" ? undefined : end();
      if (++signs !== SIGNS) return;
      isShown = true;
      emit({ type: "status", text: "The model is queued." });
    },
    end,
  };
};

/** A part by which a model says that its provider is alive, and nothing else. */
const isSign = (part: LanguageModelV4StreamPart): boolean =>
  part.type === "raw" && typeof part.rawValue === "object" && part.rawValue !== null && "alive" in part.rawValue;
