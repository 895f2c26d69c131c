import { useEffect, useRef } from "react";
import { useDraft } from "./draft.ts";
import type { RunEnd } from "./use-run-end.ts";
import { parseJson } from "runcast/json";

export interface QueueOptions {
  readonly chat: string | undefined;
  readonly isBusy: boolean;
  /** How the last run stands. */
  readonly end: RunEnd;
  readonly send: (text: string) => Promise<void>;
}

export interface MessageQueue {
  readonly texts: readonly string[];
  add(text: string): void;
  /** Takes one out. */
  take(index: number): string;
  sendNext(): void;
}

/** Messages that go out one after the other, each when the run before it has done its work. */
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
    // Who stopped a run, whose run failed or whose answer was cut may no longer want what they had planned after it.
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
