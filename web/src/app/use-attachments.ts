import { useCallback, useState } from "react";
import { createRunId as createId } from "runcast/client";
import { parseJson } from "runcast/json";
import { attachmentProblem, type FileLimits, mediaTypeOf } from "runcast/view";
import type { FilePart } from "../run/attachment-view.tsx";
import { keepDraft, readDraft } from "./draft.ts";

/** A file attached to the next message. */
export interface Attachment {
  readonly id: string;
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: number;
  /** Its bytes, which are uploaded with the message. */
  readonly file?: Blob;
  /** The server has it already, from an earlier message. */
  readonly part?: FilePart;
}

export interface Attachments {
  readonly list: readonly Attachment[];
  /** Why some files were left out. */
  readonly problems: readonly string[];
  add(files: readonly File[]): void;
  remove(id: string): void;
  /** Empties the list and returns its content. */
  take(): readonly Attachment[];
  putBack(taken: readonly Attachment[]): void;
}

export interface AttachmentsOptions {
  readonly limits: FileLimits;
  readonly accepts: readonly string[] | undefined;
}

interface Held {
  readonly list: readonly Attachment[];
  readonly problems: readonly string[];
}

const NONE: Held = { list: [], problems: [] };
const KEPT = "files";

/** The files of an earlier message, as attachments of the next one in `chat`. */
export const keepParts = (chat: string, parts: readonly FilePart[]): void =>
  keepDraft(chat, KEPT, parts.length > 0 ? JSON.stringify(parts.map(attachmentOf)) : "");

export const attachmentOf = (part: FilePart): Attachment => ({
  id: createId(),
  name: part.name ?? part.mediaType,
  mediaType: part.mediaType,
  bytes: part.bytes ?? 0,
  part,
});

/** An attachment as JSON, without its bytes. */
export const storedAttachment = ({ file: _, ...rest }: Attachment): Omit<Attachment, "file"> => rest;

/** Uses the valid parts of a stored value. */
export const parseAttachments = (stored: unknown): readonly Attachment[] =>
  (Array.isArray(stored) ? stored : []).filter(
    (item: Partial<Attachment> | null) =>
      typeof item?.id === "string" && typeof item.name === "string" && typeof item.mediaType === "string",
  );

/**
 * The attachments of each conversation's next message. They last as long as the page, and those that the server has as
 * long as the tab.
 */
export const useAttachments = (chat: string | undefined, { limits, accepts }: AttachmentsOptions): Attachments => {
  const [held, setHeld] = useState<ReadonlyMap<string, Held>>(new Map());
  const key = chat ?? "";
  const kept = (): Held => ({ ...NONE, list: parseAttachments(parseJson(readDraft(key || undefined, KEPT))) });
  const { list, problems } = held.get(key) ?? kept();
  const change = useCallback(
    (edit: (before: Held) => Held) =>
      setHeld((before) => {
        const after = edit(before.get(key) ?? kept());
        const parts = after.list.filter(({ part }) => part);
        keepDraft(key || undefined, KEPT, parts.length > 0 ? JSON.stringify(parts) : "");
        return new Map(before).set(key, after);
      }),
    [key],
  );
  return {
    list,
    problems,
    add: (files) =>
      change(({ list: before }) => {
        const after = [...before];
        const why: string[] = [];
        for (const file of files) {
          const { name, size: bytes } = file;
          const attached = { id: createId(), name, mediaType: mediaTypeOf(name, file.type), bytes, file };
          const problem = attachmentProblem(attached, { limits, accepts, before: after });
          if (problem) why.push(problem);
          else after.push(attached);
        }
        return { list: after, problems: why };
      }),
    remove: (id) => change((before) => ({ list: before.list.filter((one) => one.id !== id), problems: [] })),
    take: () => {
      change(() => NONE);
      return list;
    },
    putBack: (taken) => change((before) => ({ list: [...taken, ...before.list], problems: [] })),
  };
};
