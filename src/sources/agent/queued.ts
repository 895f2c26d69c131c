import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { Event } from "../../events.ts";

/** Shows that a model is queued: its provider is alive, but the response has not started. */
export interface Queued {
  take(part: LanguageModelV4StreamPart): void;
  /** The response has started, or will not come. */
  end(): void;
}

/** Many providers send one sign of life immediately. The second one shows that the response takes time. */
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
      if (!isSign(part)) return NEUTRAL.has(part.type) ? undefined : end();
      if (++signs !== SIGNS) return;
      isShown = true;
      emit({ type: "status", text: "The model is queued." });
    },
    end,
  };
};

/** Parts that arrive before the response starts. */
const NEUTRAL: ReadonlySet<string> = new Set(["stream-start", "response-metadata", "raw"]);

/** A part that only signals that the provider is alive. */
const isSign = (part: LanguageModelV4StreamPart): boolean =>
  part.type === "raw" && typeof part.rawValue === "object" && part.rawValue !== null && "alive" in part.rawValue;
