import { argumentsOf } from "./cards.ts";
import { imagesText } from "../images.ts";
import type { Item } from "../output.ts";
import { type Call, type CreateShow, createWords, type Frames, isOk, type Result } from "../show.ts";
import { escapeHtml, nameText, plain, preview } from "../text.ts";
import { cut } from "../whole-characters.ts";

const MAX_CHARACTERS = 1000;

/** A `<details>` block for each call, in a separate message whose text changes from pending to done. */
export const details: CreateShow = ({ output }) => {
  const open = new Map<string, { readonly call: Call; readonly item: Item }>();

  const change = (call: Call, isExecuting: boolean): Frames => {
    const known = open.get(call.key);
    return known ? output.swap(known.item, pending(call, isExecuting)) : [];
  };

  return {
    ...createWords(output),
    startCall(call) {
      const message = { id: `details_${call.key}`, type: "message", role: "assistant", status: "in_progress" };
      const { item, frames } = output.add(message);
      open.set(call.key, { call, item });
      return [...frames, ...output.write(item, pending(call, false))];
    },
    readyCall: (call) => change(call, false),
    executeCall: (call) => change(call, true),
    endCall(call, result) {
      const known = open.get(call.key);
      open.delete(call.key);
      return known ? output.swap(known.item, done(call, result)) : [];
    },
    endStep: () => [],
    end: () => output.finish(),
    will: (message) =>
      [...open.values()].flatMap(({ call, item }) =>
        output.asSwap(item, done(call, { outcome: "interrupted", text: message, link: "", files: [], images: [] })),
      ),
  };
};

/**
 * Attributes require the tag to be on one line. `type` is not the first attribute: in the next request, Open WebUI
 * would replace a block that begins with it by the result, and the agent would take that for its own text.
 */
const block = (
  call: Call,
  attributes: readonly (readonly [string, string])[],
  summary: string,
  body: string,
): string => {
  const all = [["id", call.key], ["type", "tool_calls"], ...attributes, ["name", nameText(call.label)]] as const;
  const tag = all.map(([name, value]) => ` ${name}="${attribute(value)}"`).join("");
  return `\n<details${tag} arguments="${attribute(argumentsOf(call))}">\n<summary>${summary}</summary>\n${body}</details>\n\n`;
};

/** Any kind of line break ends an attribute. Within JSON, each can be escaped. */
const attribute = (value: string): string =>
  escapeHtml(value.replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029"));

const pending = (call: Call, isExecuting: boolean): string => {
  const status = isExecuting ? [["status", "completed"] as const] : [];
  return block(call, [["done", "false"], ...status], "Executing...", "");
};

const done = (call: Call, result: Result): string => {
  const text = plain(cut(result.text, MAX_CHARACTERS * 8));
  const rest = `\n... (truncated)${result.link && `\n${result.link}`}`;
  // JSON has no line breaks and keeps white space, and the escaped `<` prevents tags.
  const written = JSON.stringify(preview(text, MAX_CHARACTERS, rest)).replaceAll("<", "\\u003c");
  const attributes: (readonly [string, string])[] = [
    ["done", "true"],
    ["status", isOk(result) ? "completed" : "failed"],
    ["result", written],
  ];
  if (result.files.length > 0) attributes.push(["files", JSON.stringify(result.files.slice(0, 8))]);
  const images = imagesText(call.name, result.images);
  return `${block(call, attributes, "Tool Executed", `${escapeHtml(written)}\n`)}${images && `${images}\n\n`}`;
};
