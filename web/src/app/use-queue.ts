import { useEffect, useRef } from "react";
import { parseJson } from "runcast/json";
import { useDraft } from "./draft.ts";
import { dropFile, keepFile, readFile } from "./queued-files.ts";
import { type Attachment, parseAttachments, storedAttachment } from "./use-attachments.ts";
import type { RunEnd } from "./use-run-end.ts";

/** A message with its files. A file without bytes and without a `part` was lost. */
export interface QueuedMessage {
  readonly text: string;
  readonly files: readonly Attachment[];
}

export interface QueueOptions {
  readonly chat: string | undefined;
  readonly isBusy: boolean;
  /** The state of the last run. */
  readonly end: RunEnd;
  readonly send: (message: QueuedMessage) => Promise<void>;
}

export interface MessageQueue {
  readonly messages: readonly QueuedMessage[];
  add(message: QueuedMessage): void;
  /** Removes a message and returns it with its files. */
  take(index: number): Promise<QueuedMessage>;
  sendNext(): void;
}

/** Messages that are sent one by one, each after the previous run has succeeded. They survive a reload of the tab. */
export const useQueue = ({ chat, isBusy, end, send }: QueueOptions): MessageQueue => {
  const [kept, keep] = useDraft(chat, "queue");
  const messages = parse(kept);
  const isSending = useRef(false);
  const set = (next: readonly QueuedMessage[]): void => keep(next.length > 0 ? JSON.stringify(next.map(stored)) : "");
  const sendNext = (): void => {
    const [first, ...rest] = messages;
    if (first === undefined || isSending.current) return;
    isSending.current = true;
    set(rest);
    void withFiles(first)
      .then(send)
      .finally(() => (isSending.current = false));
  };
  useEffect(() => {
    // After a stopped, failed, or cut-off run, the user may no longer want the queued messages.
    if (!isBusy && end === "succeeded") sendNext();
  }, [isBusy, end, kept]);
  return {
    messages,
    add: (message) => {
      for (const { id, file } of message.files) if (file) keepFile(id, file);
      set([...messages, message]);
    },
    take: async (index) => {
      set(messages.toSpliced(index, 1));
      return await withFiles(messages[index] ?? { text: "", files: [] });
    },
    sendNext,
  };
};

/** Reads the bytes of a message's files, which then no longer belong to the queue. */
const withFiles = async ({ text, files }: QueuedMessage): Promise<QueuedMessage> => {
  const read = async (attached: Attachment): Promise<Attachment> => {
    if (attached.part) return attached;
    const file = await readFile(attached.id);
    dropFile(attached.id);
    return { ...attached, ...(file && { file }) };
  };
  return { text, files: await Promise.all(files.map(read)) };
};

const stored = ({ text, files }: QueuedMessage) => ({ text, files: files.map(storedAttachment) });

const parse = (text: string): readonly QueuedMessage[] => {
  const value = parseJson(text);
  if (!Array.isArray(value)) return [];
  return value.flatMap((item): QueuedMessage[] => {
    // Earlier versions of the page stored only texts.
    if (typeof item === "string") return [{ text: item, files: [] }];
    if (typeof item !== "object" || item === null || Array.isArray(item)) return [];
    const { text: words, files } = item;
    return typeof words === "string" ? [{ text: words, files: parseAttachments(files) }] : [];
  });
};
