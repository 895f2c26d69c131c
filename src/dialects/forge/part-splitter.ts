import type { Event } from "../../events.ts";
import { BREAK } from "./running-text.ts";

/** Text or thinking that arrives as one running text, turned into parts. */
export interface PartSplitter {
  /** All of it so far, with breaks between parts. */
  readonly text: string;
  add(delta: string, part?: string): void;
  /** What comes next is another part. */
  breakOff(): void;
  /** The open part ends, but what comes next goes on from it. */
  end(): void;
  /** The text is this, whatever came before: servers may lose white space on the way. */
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
      // The answer alone is right too, after words that came before calls.
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
