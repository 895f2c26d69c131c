import { useEffect, useRef } from "react";
import { useDraft } from "./draft.ts";
import type { RunEnd } from "./use-run-end.ts";
import { parseJson } from "runcast/json";

export interface QueueOptions {
  readonly chat: string | undefined;
  readonly isBusy: boolean;
  /** The state of the last run. */
  readonly end: RunEnd;
  readonly send: (text: string) => Promise<void>;
}

export interface MessageQueue {
  readonly texts: readonly string[];
  add(text: string): void;
  /** Removes and returns a message. */
  take(index: number): string;
  sendNext(): void;
}

/** Messages that are sent one by one, each after the previous run has succeeded. */
export const useQueue = ({ chat, isBusy, end, send }: QueueOptions): MessageQueue => {
  const [kept, keep] = useDraft(chat, "queue");
  const texts = parse(kept);
  const isSending = useRef(false);
  const set = (next: readonly string[]): void => keep(next.length > 0 ? JSON.stringify(next) : "");
  const sendNext = (): void => {
    const [first, ...rest] = texts;
    if (first === undefined || isSending.current) return;
    isSending.current = true;
    set(rest);
    void send(first).finally(() => (isSending.current = false));
  };
  useEffect(() => {
    // After a stopped, failed, or cut-off run, the user may no longer want the queued messages.
    if (!isBusy && end === "succeeded") sendNext();
  }, [isBusy, end, kept]);
  return {
    texts,
    add: (text) => set([...texts, text]),
    take: (index) => {
      set(texts.toSpliced(index, 1));
      return texts[index] ?? "";
    },
    sendNext,
  };
};

const parse = (text: string): readonly string[] => {
  const value = parseJson(text);
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
};
