import type { CallNode } from "../state.ts";

export interface CallFilter {
  readonly tool: string;
  /** `open` matches pending and executing calls. */
  readonly state: "" | "open" | CallNode["state"];
  readonly text: string;
}

export const NO_FILTER: CallFilter = { tool: "", state: "", text: "" };

/** Returns a function that tests a call against a filter. Every search word must occur in its name, arguments, or result. */
export const createMatcher = (): ((call: CallNode, filter: CallFilter) => boolean) => {
  const texts = new WeakMap<CallNode, { readonly version: number; readonly text: string }>();
  const textOf = (call: CallNode): string => {
    const known = texts.get(call);
    if (known?.version === call.version) return known.text;
    const text = searchText(call);
    texts.set(call, { version: call.version, text });
    return text;
  };
  return (call, { tool, state, text }) => {
    if (tool !== "" && call.name !== tool) return false;
    if (state === "open" ? call.endedAt !== undefined : state !== "" && call.state !== state) return false;
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    return words.every((word) => textOf(call).includes(word));
  };
};

/** The searchable text of a call. For a result stored as a file, only its head and tail are searched. */
export const searchText = (call: CallNode): string => {
  const parts: (string | undefined)[] = [call.name, call.title, call.status, call.error?.message];
  parts.push(call.inputText !== "" && !call.edited ? call.inputText : jsonText(call.input));
  for (const part of call.content ?? []) {
    if (part.type === "text") parts.push(part.text);
    else if (part.type === "json") parts.push(jsonText(part.value));
    else if (part.type === "link") parts.push(part.title, part.url);
    else parts.push(part.name, part.head, part.tail);
  }
  parts.push(jsonText(call.value), ...call.output.map((piece) => piece.text));
  return parts.filter(Boolean).join("\n").toLowerCase();
};

const jsonText = (value: unknown): string | undefined => (value === undefined ? undefined : JSON.stringify(value));
