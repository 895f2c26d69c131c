import { type Fields, fieldsOf, listOf } from "../../json.ts";
import type { Content } from "../../events.ts";
import { lineOf, textOf } from "../upstream/reading.ts";
import type { OpenCall } from "../upstream/agent-writer.ts";

/** Bytes that came with an event, to be stored alongside the log. */
export interface Attachment {
  readonly name: string;
  readonly mediaType: string;
  readonly base64: string;
  readonly call: OpenCall | undefined;
}

const KINDS: Readonly<Record<string, string>> = {
  images: "image/png",
  videos: "video/mp4",
  audio: "audio/wav",
  files: "application/octet-stream",
};
const MOST = 50;

const mediaIn = (fields: Fields): { readonly item: Fields; readonly mediaType: string; readonly name: string }[] =>
  Object.entries(KINDS).flatMap(([field, fallback]) =>
    listOf(fields[field])
      .slice(0, MOST)
      .map((one, index) => {
        const item = fieldsOf(one);
        const mediaType = lineOf(item["mime_type"], 100) ?? fallback;
        const name = lineOf(item["filename"], 200) ?? lineOf(item["name"], 200) ?? `${field}-${index + 1}`;
        return { item, mediaType, name };
      }),
  );

/** Media that have a URL. */
export const linksOf = (fields: Fields): Content[] =>
  mediaIn(fields).flatMap(({ item, mediaType, name }) => {
    const url = textOf(item["url"]);
    return url && /^https?:/.test(url) ? [{ type: "link" as const, url, title: name, mediaType }] : [];
  });

export const attachmentsOf = (fields: Fields, call: OpenCall | undefined): Attachment[] =>
  mediaIn(fields).flatMap(({ item, mediaType, name }) => {
    const base64 = textOf(item["content"]);
    return base64 ? [{ name, mediaType, base64, call }] : [];
  });
