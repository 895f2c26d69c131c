import { fieldsOf, listOf } from "../../json.ts";
import type { Content } from "../../events.ts";
import { lineOf, textOf } from "../upstream/reading.ts";
import type { Edit } from "./unified-diff.ts";

/** The `content` of a tool call. A later update replaces all of it. */
export interface CallContent {
  /** Its text blocks, without the code fence that some agents put around them. */
  readonly text: string;
  readonly edits: readonly Edit[];
  readonly terminals: readonly string[];
  readonly links: readonly Extract<Content, { type: "link" }>[];
}

const MAX_BLOCKS = 100;

export const contentOf = (value: unknown): CallContent => {
  const texts: string[] = [];
  const edits: Edit[] = [];
  const terminals: string[] = [];
  const links: Extract<Content, { type: "link" }>[] = [];
  for (const block of listOf(value).slice(0, MAX_BLOCKS).map(fieldsOf)) {
    if (block["type"] === "diff") {
      const path = textOf(block["path"]);
      const newText = textOf(block["newText"]);
      if (path && newText !== undefined) edits.push({ path, oldText: textOf(block["oldText"]) ?? null, newText });
    } else if (block["type"] === "terminal") {
      const terminal = textOf(block["terminalId"]);
      if (terminal !== undefined) terminals.push(terminal);
    } else {
      const inner = fieldsOf(block["content"]);
      const text = blockText(inner);
      if (text !== undefined) texts.push(unfenced(text));
      else if (inner["type"] === "resource_link") {
        const url = textOf(inner["uri"]);
        const title = textOf(inner["name"]);
        if (url !== undefined) links.push({ type: "link", url, ...(title !== undefined && { title }) });
      } else {
        const media = mediaText(inner);
        if (media !== undefined) texts.push(media);
      }
    }
  }
  return { text: texts.join("\n"), edits, terminals, links };
};

/** The text of a content block or of an embedded file. Undefined if it has none. */
export const blockText = (block: unknown): string | undefined => {
  const { type, text, resource } = fieldsOf(block);
  return type === "resource" ? textOf(fieldsOf(resource)["text"]) : textOf(text);
};

/** Names a block that has no text, such as an image. Inline bytes are reduced to their type and size. */
export const mediaText = (block: unknown): string | undefined => {
  const { type, data, mimeType, resource, uri, name } = fieldsOf(block);
  const link = lineOf(uri, 2000);
  if (type === "resource_link" && link !== undefined) return `[${lineOf(name) ?? link}](${link})`;
  const { blob, mimeType: inner } = fieldsOf(resource);
  const bytes = textOf(data) ?? textOf(blob);
  const kind = lineOf(mimeType, 100) ?? lineOf(inner, 100) ?? lineOf(type, 100);
  return bytes === undefined || kind === undefined ? undefined : `[${kind}, ${bytes.length} characters in base64]`;
};

const FENCED = /^```[\w-]*\n([^]*?)\n?```\s*$/;

const unfenced = (text: string): string => {
  const inner = FENCED.exec(text)?.[1];
  return inner === undefined || inner.includes("```") ? text : inner;
};

export interface Exit {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/** How a command ended, from any of the places where agents report it. */
export const exitOf = (meta: unknown, rawOutput: unknown): Exit | undefined => {
  const exit = fieldsOf(fieldsOf(meta)["terminal_exit"]);
  const raw = fieldsOf(rawOutput);
  const code = exit["exit_code"] ?? raw["exit_code"] ?? fieldsOf(raw["metadata"])["exit"];
  const signal = textOf(exit["signal"]) ?? null;
  if (typeof code === "number" && Number.isSafeInteger(code)) return { exitCode: code, signal };
  return signal === null ? undefined : { exitCode: null, signal };
};

/** The next piece of a command's output, sent through an extension that some agents use. */
export const outputOf = (meta: unknown): string | undefined => {
  const { terminal_output: whole, terminal_output_delta: delta } = fieldsOf(meta);
  return textOf(fieldsOf(delta ?? whole)["data"]);
};
