import type { Event } from "../../events.ts";
import { BREAK } from "./running-text.ts";

/** Text or thinking that arrives as one running text, turned into parts. */
export interface Speech {
  /** All of it so far, with breaks between parts. */
  readonly said: string;
  say(delta: string, part?: string): void;
  /** What comes next is another part. */
  breakOff(): void;
  /** The open part ends, but what comes next goes on from it. */
  end(): void;
  /** The text is this, whatever was said: servers may lose white space on the way. */
  correct(whole: string): void;
}

export const createSpeech = (
  kind: "text" | "thinking",
  emit: (event: Event) => void,
  openStep: () => unknown,
): Speech => {
  const parts: string[] = [];
  let said = "";
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
    get said() {
      return said;
    },
    say(delta, part) {
      if (part !== undefined && part !== open) end();
      if (open === undefined) start(part ?? fresh());
      said += delta;
      emit({ type: `${kind}-delta`, part: open!, delta });
    },
    breakOff() {
      end();
      said += BREAK;
    },
    end,
    correct(whole) {
      // The answer alone is right too, after words that came before calls.
      if (whole === "" || said.endsWith(whole)) return;
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
