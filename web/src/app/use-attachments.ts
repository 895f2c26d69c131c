import { useCallback, useState } from "react";
import { attachmentProblem, type FileLimits, mediaTypeOf } from "runcast/view";

/** A file attached to the next message. */
export interface Attachment {
  readonly id: string;
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: number;
  readonly file: File;
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
let made = 0;

/** The attachments of each conversation's next message. They last as long as the page. */
export const useAttachments = (chat: string | undefined, { limits, accepts }: AttachmentsOptions): Attachments => {
  const [held, setHeld] = useState<ReadonlyMap<string, Held>>(new Map());
  const key = chat ?? "";
  const { list, problems } = held.get(key) ?? NONE;
  const change = useCallback(
    (edit: (before: Held) => Held) => setHeld((before) => new Map(before).set(key, edit(before.get(key) ?? NONE))),
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
          const attached = { id: `${made++}`, name, mediaType: mediaTypeOf(name, file.type), bytes, file };
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
