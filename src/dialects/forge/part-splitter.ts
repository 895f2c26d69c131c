import type { Event } from "../../events.ts";
import { BREAK } from "./running-text.ts";

/** Splits text or thinking that arrives as one running text into parts. */
export interface PartSplitter {
  /** The whole text so far, with breaks between parts. */
  readonly text: string;
  add(delta: string, part?: string): void;
  /** Starts another part with the next delta. */
  breakOff(): void;
  /** Ends the open part without a break in the running text. */
  end(): void;
  /** Replaces the text if it differs from `whole`, because servers may lose white space in transit. */
  correct(whole: string): void;
}

export const createPartSplitter = (
  kind: "text" | "thinking",
  emit: (event: Event) => void,
  openStep: () => unknown,
): PartSplitter => {
  const parts: string[] = [];
  let text = "";
  let open: string | undefined;
  let made = 0;

  const start = (part: string, replaces?: string): void => {
    openStep();
    open = part;
    parts.push(part);
    if (kind === "text") emit({ type: "text-start", part, ...(replaces !== undefined && { replaces }) });
    else emit({ type: "thinking-start", part });
  };
  const end = (): void => {
    if (open !== undefined) emit({ type: `${kind}-end`, part: open });
    open = undefined;
  };
  const fresh = (): string => `${kind}-${++made}`;

  return {
    get text() {
      return text;
    },
    add(delta, part) {
      if (part !== undefined && part !== open) end();
      if (open === undefined) start(part ?? fresh());
      text += delta;
      emit({ type: `${kind}-delta`, part: open!, delta });
    },
    breakOff() {
      end();
      text += BREAK;
    },
    end,
    correct(whole) {
      // After text that preceded calls, the response may contain only the final answer.
      if (whole === "" || text.endsWith(whole)) return;
      end();
      const replaced = parts.splice(0);
      const last = replaced.pop();
      for (const part of replaced) {
        start(fresh(), part);
        end();
      }
      start(fresh(), last);
      emit({ type: `${kind}-delta`, part: open!, delta: whole });
    },
  };
};
