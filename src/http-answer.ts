import type { Content } from "./events.ts";
import { readableText } from "./http-answer/readable.ts";
import { parseJson } from "./json.ts";
import { type ToolContext, type ToolResult, toolResult } from "./tool.ts";

/** The part of a server's response that was read. */
export interface HttpAnswer {
  /** The URL it came from. Empty if unknown. */
  readonly url: string;
  readonly status: number;
  readonly statusText: string;
  readonly header: (name: string) => string;
  readonly bytes: Buffer;
  /** Whether the response was longer than what was read. */
  readonly cut: boolean;
}

/** The maximum text or JSON sent to the model. The whole response is stored with the log. */
const MAX_TEXT = 50_000;
/** At most this much of a page is converted to text. */
const MAX_READ = 2 * 1024 * 1024;
/** Large enough for a chart with its library inlined, which takes five megabytes. */
const MAX_EMBED = 8 * 1024 * 1024;

/**
 * Turns an HTTP response into a tool result. Pages that ask to be shown are embedded, other pages are converted to
 * text, and everything else is stored as a file.
 */
export const resultOfAnswer = async (response: HttpAnswer, context: ToolContext): Promise<ToolResult> => {
  const isError = response.status >= 400;
  const head: Content[] = isError ? [text(`HTTP ${response.status} ${response.statusText}`.trim())] : [];
  const mediaType = response.header("content-type").split(";")[0]!.trim().toLowerCase();
  if (response.bytes.length === 0) {
    return toolResult([text(`HTTP ${response.status} ${response.statusText}, without content.`)], { isError });
  }
  const content = await contentOf(response, mediaType, context, isError);
  return toolResult([...head, ...content], { isError });
};

const contentOf = async (
  response: HttpAnswer,
  mediaType: string,
  context: ToolContext,
  isError: boolean,
): Promise<readonly Content[]> => {
  if (!isText(mediaType, response.bytes)) return await keep(response, mediaType || "application/octet-stream", context);
  const source = decode(response, mediaType);
  if (/^(?:text\/html|application\/xhtml\+xml)$/.test(mediaType)) {
    const { title, text: readable } = readableText(source.slice(0, MAX_READ));
    const isInline = /^\s*inline\b/i.test(response.header("content-disposition"));
    if (isInline && !isError && !response.cut && response.bytes.length <= MAX_EMBED) {
      context.embed({ html: withBase(source, response.url), ...(title ? { title } : {}) });
      return [text(`The page${title ? ` "${title}"` : ""} is shown to the user.`)];
    }
    return await bounded(title ? `${title}\n\n${readable}` : readable, response, mediaType, context);
  }
  if (/^(?:application|text)\/(?:[\w.-]+\+)?json$/.test(mediaType) && !response.cut && source.length <= MAX_TEXT) {
    const value = parseJson(source);
    if (value !== undefined) return [{ type: "json", value }];
  }
  return await bounded(source, response, mediaType, context);
};

/**
 * Makes relative URLs in the page resolve against its origin, wherever it is shown. Drops everything after the path,
 * which may contain a key.
 */
const withBase = (html: string, url: string): string => {
  const { origin, pathname } = URL.parse(url) ?? {};
  if (origin === undefined || /<base\s/i.test(html)) return html;
  const [doctype = ""] = /^\s*<!doctype[^>]*>/i.exec(html) ?? [];
  const href = `${origin}${pathname}`.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  return `${doctype || "<!doctype html>"}<base href="${href}">${html.slice(doctype.length)}`;
};

const text = (value: string): Content => ({ type: "text", text: value });

/** Stores text that is too long for the model, as far as it was received. */
const bounded = async (
  whole: string,
  response: HttpAnswer,
  mediaType: string,
  context: ToolContext,
): Promise<readonly Content[]> => {
  if (whole.length <= MAX_TEXT && !response.cut) return [text(whole)];
  const ref = await context.put(response.bytes, { mediaType: mediaType || "text/plain", name: nameOf(response) });
  const received = `${response.bytes.length} bytes${response.cut ? ", cut at the size limit" : ""}`;
  const shown = whole.slice(0, MAX_TEXT).toWellFormed();
  return [
    text(shown),
    text(
      `[Cut after ${shown.length} of ${whole.length} characters (${received}). The file contains everything received.]`,
    ),
    { type: "file", ...ref },
  ];
};

const keep = async (response: HttpAnswer, mediaType: string, context: ToolContext): Promise<readonly Content[]> => {
  if (response.cut)
    return [text(`The response is ${mediaType} and larger than ${response.bytes.length} bytes: too large to store.`)];
  const ref = await context.put(response.bytes, { mediaType, name: nameOf(response) });
  return [
    text(`${ref.name ?? "The response"}: ${mediaType}, ${response.bytes.length} bytes.`),
    { type: "file", ...ref },
  ];
};

const nameOf = (response: HttpAnswer): string => {
  const fileName = /filename="?([^";]+)/i.exec(response.header("content-disposition"))?.[1];
  const last = fileName ?? URL.parse(response.url)?.pathname.split("/").pop();
  return (last ?? "").replace(/[^\w.-]+/g, "-").slice(-100) || "answer";
};

const isText = (mediaType: string, bytes: Buffer): boolean => {
  if (mediaType.startsWith("text/") || /\b(?:json|xml|javascript|yaml|x-www-form-urlencoded)\b/.test(mediaType)) {
    return mediaType !== "image/svg+xml";
  }
  return mediaType === "" && !bytes.subarray(0, 8192).includes(0);
};

const decode = (response: HttpAnswer, mediaType: string): string => {
  const declared = /charset="?([\w-]+)/i.exec(response.header("content-type"))?.[1];
  const inPage = mediaType.includes("html")
    ? /<meta[^>]{0,200}charset\s*=\s*["']?([\w-]+)/i.exec(response.bytes.toString("latin1", 0, 2048))?.[1]
    : undefined;
  try {
    return new TextDecoder(declared ?? inPage ?? "utf-8").decode(response.bytes);
  } catch {
    return new TextDecoder().decode(response.bytes);
  }
};
