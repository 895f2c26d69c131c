import type { Json, Message, Part } from "../../events.ts";
import { SUB_AGENT } from "./encode.ts";
import { withoutImages } from "./images.ts";
import { unescapeHtml } from "./text.ts";
import { parseJson } from "../../json.ts";

/**
 * Restores the original conversation. Calls and their results become calls and results again, including those that some
 * styles show as blocks within the text. Calls of sub-agents and collapsed steps are removed.
 */
export const readHistory = (messages: readonly Message[]): Message[] => messages.flatMap(readOne);

const readOne = (message: Message): Message[] => {
  if (message.role === "tool") {
    const content = message.content.filter((part) => !isOfSubAgent(part)).map(marked);
    return content.length > 0 ? [{ ...message, content }] : [];
  }
  if (message.role !== "assistant") return [message];
  const read = message.content.filter((part) => !isOfSubAgent(part)).flatMap(readPart);
  // Drops messages that contained nothing else, but keeps messages that were already empty.
  return read.length === 0 && message.content.length > 0 ? [] : split(message.role, read);
};

const isOfSubAgent = (part: Part): boolean =>
  (part.type === "call" || part.type === "result") && part.call.startsWith(SUB_AGENT);

/** A failed result starts with `Error:`. */
const marked = (part: Part): Part => {
  if (part.type !== "result" || part.error !== undefined) return part;
  const [first] = part.content;
  return first?.type === "text" && first.text.startsWith("Error:") ? { ...part, error: true } : part;
};

const readPart = (part: Part): Part[] => {
  if (part.type !== "text") return [part];
  const text = withoutImages(part.text);
  return text !== part.text && text.trim() === "" ? [] : readText(text);
};

/** Blocks are never nested, and nothing within a block looks like its end. */
const BLOCK = /\n*<details(\s[^>]*)?>\n([^]*?)<\/details>\n*/g;
const STEPS = /^<summary>🔍 Execution Steps/;

const readText = (text: string): Part[] => {
  if (!text.includes("<details")) return [{ type: "text", text }];
  const parts: Part[] = [];
  const say = (words: string) => {
    if (words.trim() !== "") parts.push({ type: "text", text: words });
  };
  let from = 0;
  for (const block of text.matchAll(BLOCK)) {
    const call = readCall(block[1] ?? "");
    if (!call && !STEPS.test(block[2] ?? "")) continue;
    say(text.slice(from, block.index));
    from = block.index + block[0].length;
    if (call) parts.push(...call);
  }
  say(text.slice(from));
  return parts;
};

const readCall = (tag: string): Part[] | undefined => {
  const attributes = new Map(
    [...tag.matchAll(/(\w+)="(.*?)"/g)].map(([, name, value]) => [name, unescapeHtml(value ?? "")]),
  );
  const call = attributes.get("id");
  if (attributes.get("type") !== "tool_calls" || !call) return undefined;
  if (call.startsWith(SUB_AGENT)) return [];
  const result = attributes.get("result");
  const input = parse(attributes.get("arguments") ?? "") ?? {};
  const callPart: Part = { type: "call", call: call.slice(0, 256), name: attributes.get("name") ?? "unknown", input };
  if (result === undefined) return [];
  const text = parse(result);
  const content = [{ type: "text" as const, text: typeof text === "string" ? text : result }];
  return [callPart, marked({ type: "result", call: callPart.call, content })];
};

/** Results become separate messages between those of the assistant. */
const split = (role: "assistant", parts: readonly Part[]): Message[] => {
  const messages: Message[] = [];
  for (const part of parts) {
    const wanted = part.type === "result" ? "tool" : role;
    const last = messages.at(-1);
    if (last?.role === wanted) last.content.push(part);
    else messages.push({ role: wanted, content: [part] });
  }
  return messages.length > 0 ? messages : [{ role, content: [] }];
};

const parse = (text: string): Json | undefined => parseJson(text, text === "" ? undefined : text);
