import type { EncodeOptions } from "../../dialect.ts";
import type { Content, Event, EventOf, Json } from "../../events.ts";
import { parseJson } from "../../json.ts";
import { answerPage } from "../frames/answer-page.ts";
import { withHeight } from "../frames/embed-page.ts";
import { resultText } from "../frames/result-text.ts";

/**
 * The agent's calls as text within its output, for clients that request it. `details` writes each call as a `<details>`
 * block, which many chat front ends render as a card. `text` writes each as a line of Markdown.
 */
export const CALL_STYLES = ["details", "text"] as const;
export type CallStyle = (typeof CALL_STYLES)[number];

export const isCallStyle = (style: string): style is CallStyle => (CALL_STYLES as readonly string[]).includes(style);

const MAX_CHARACTERS = 1000;
const MAX_OF_A_LINE = 200;
/** Of all files or pages of one call. Attributes are part of the text that the client stores and sends back. */
const MAX_OF_AN_ATTRIBUTE = 32_000;

interface Call {
  readonly label: string;
  text: string;
  input: Json | undefined;
  /** The pages that it embeds, as HTML or URLs. */
  readonly embeds: Map<string, string>;
}

/** Returns the text of the call that ends with this event. Undefined for other events and for calls that the client runs. */
export type CallTexts = (event: Event) => string | undefined;

export const createCallTexts = (style: CallStyle, options: Pick<EncodeOptions, "link" | "page">): CallTexts => {
  const calls = new Map<string, Call>();
  const agents = new Map<string, string>();
  let run = "";

  const labelOf = ({ name, agent }: EventOf<"tool-start">): string =>
    agent === undefined ? name : `${agents.get(agent) ?? "agent"}: ${name}`;

  const end = (event: EventOf<"tool-end">, { label, text, input, embeds }: Call): string | undefined => {
    const { call: id, outcome, error } = event;
    if (outcome === "deferred") return undefined;
    const result = resultText(event, options.link);
    const shown: CallText = {
      id,
      label,
      input: input === undefined ? text || "{}" : JSON.stringify(input),
      result: outcome === "ok" ? result : `Error: ${error?.message ?? (result || outcome)}`,
      isOk: outcome === "ok",
      page: answerPage(options, run),
      files: (event.content ?? []).flatMap((part) => (part.type === "file" ? [fileOf(part, options.link)] : [])),
      embeds: [...embeds.values()],
    };
    return style === "details" ? detailsOf(shown) : lineOf(shown);
  };

  return (event) => {
    if (event.type === "run-start") run = event.run;
    else if (event.type === "agent-start") agents.set(event.agent, event.name);
    else if (event.type === "tool-start")
      calls.set(event.call, { label: labelOf(event), text: "", input: undefined, embeds: new Map() });
    const call = "call" in event && event.call !== undefined ? calls.get(event.call) : undefined;
    if (!call) return undefined;
    if (event.type === "embed") {
      const shown = event.html === undefined ? webAddress(event.url) : withHeight(event.html);
      if (shown !== undefined) call.embeds.set(event.embed, shown);
    }
    if (event.type === "tool-input-delta") call.text += event.delta;
    if ((event.type === "tool-input-end" || event.type === "tool-execute") && event.input !== undefined)
      call.input = event.input;
    if (event.type !== "tool-end") return undefined;
    calls.delete(event.call);
    return end(event, call);
  };
};

interface CallText {
  readonly id: string;
  readonly label: string;
  /** As JSON, or as the model wrote it. */
  readonly input: string;
  readonly result: string;
  readonly isOk: boolean;
  readonly page: string;
  readonly files: readonly object[];
  readonly embeds: readonly string[];
}

type File = Extract<Content, { type: "file" }>;

const fileOf = (file: File, link: EncodeOptions["link"]): object => ({
  type: file.mediaType.startsWith("image/") ? "image" : "file",
  url: link(file),
  name: file.name ?? "file",
  content_type: file.mediaType,
  size: file.bytes,
});

const webAddress = (url: string | undefined): string | undefined =>
  url !== undefined && /^https?:\/\//.test(url) ? url : undefined;

/** An optional attribute with a list. Omits what does not fit. */
const listAttribute = (name: string, values: readonly unknown[]): string[][] => {
  let length = 0;
  const kept = values.filter((value) => (length += JSON.stringify(value).length) <= MAX_OF_AN_ATTRIBUTE);
  return kept.length > 0 ? [[name, JSON.stringify(kept)]] : [];
};

/** Attributes for front ends that render a card, and the same content as code for all others. */
const detailsOf = ({ id, label, input, result, isOk, page, files, embeds }: CallText): string => {
  const shown = cut(result, MAX_CHARACTERS, `\n… (full result: ${page})`);
  const attributes = [
    ["id", id],
    ["type", "tool_calls"],
    ["done", "true"],
    ["status", isOk ? "completed" : "failed"],
    ["name", label],
    ["arguments", JSON.stringify(parseJson(input, input))],
    ["result", JSON.stringify(shown)],
    ...listAttribute("files", files),
    ...listAttribute("embeds", embeds),
  ].map(([name, value]) => ` ${name}="${escaped(value!)}"`);
  const body = `${codeBlock(cut(input, MAX_CHARACTERS, "…"), "json")}\n\n${codeBlock(shown, "text")}`;
  return `\n\n<details${attributes.join("")}>\n<summary>${isOk ? "✓" : "✗"} ${escaped(label)}</summary>\n\n${body}\n\n</details>\n\n`;
};

const lineOf = ({ label, input, result, isOk }: CallText): string => {
  const parts = [input === "{}" ? "" : ` ${codeSpan(input)}`, result.trim() === "" ? "" : ` → ${codeSpan(result)}`];
  return `\n\n${isOk ? "🔧" : "✗"} ${codeSpan(label)}${parts.join("")}\n\n`;
};

const cut = (text: string, most: number, rest: string): string =>
  text.length <= most ? text : `${text.slice(0, most).replace(/[\uD800-\uDBFF]$/, "")}${rest}`;

const escaped = (text: string): string =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll(/[\r\n\u0085\u2028\u2029]+/g, " ");

const longestRun = (text: string): number => Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length));

/** Tool output goes into a code block, so nothing in it is interpreted as Markdown or HTML. */
const codeBlock = (text: string, language: string): string => {
  const fence = "`".repeat(Math.max(3, longestRun(text) + 1));
  return `${fence}${language}\n${text}\n${fence}`;
};

const codeSpan = (text: string): string => {
  const line = cut(text.replaceAll(/\s+/g, " ").trim(), MAX_OF_A_LINE, "…");
  const fence = "`".repeat(longestRun(line) + 1);
  return line.includes("`") ? `${fence} ${line} ${fence}` : `${fence}${line}${fence}`;
};
