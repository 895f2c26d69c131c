import type { Client } from "runcast/client";
import type { Part } from "runcast/events";

export interface OutgoingFile {
  readonly name: string;
  readonly mediaType: string;
  readonly file: Blob;
}

const AT_ONCE = 4;
const MAX_KEPT = 200;

/** Files uploaded by this page. They are shown before the run has started, when the server does not serve them yet. */
const uploaded = new Map<string, Blob>();
const keyOf = (run: string, file: string): string => `${run} ${file}`;

export const uploadedFile = (run: string, file: string): Blob | undefined => uploaded.get(keyOf(run, file));

/** Uploads files for a run that is about to start. Returns the message parts that reference them. */
export const uploadFiles = async (
  client: Client,
  run: string,
  files: readonly OutgoingFile[],
): Promise<readonly Part[]> => {
  const parts: Part[] = [];
  for (let at = 0; at < files.length; at += AT_ONCE)
    parts.push(
      ...(await Promise.all(
        files.slice(at, at + AT_ONCE).map(async ({ name, mediaType, file }): Promise<Part> => {
          const stored = await client.upload(run, file, { name, mediaType });
          uploaded.set(keyOf(run, stored.file), file);
          for (const oldest of uploaded.keys()) if (uploaded.size > MAX_KEPT) uploaded.delete(oldest);
          return { type: "file", run, name, mediaType, file: stored.file, bytes: stored.bytes };
        }),
      )),
    );
  return parts;
};
