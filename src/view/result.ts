import type { Content, FileRef, Json } from "../events.ts";
import type { CallNode } from "../state.ts";
import { byteText } from "./amounts.ts";
import { describeLink, type LinkFacts } from "./link.ts";

/** One part of what a call answered with, in the shape in which it is best shown. */
export type ResultPart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "value"; readonly value: Json }
  | { readonly kind: "file"; readonly file: FileRef }
  | { readonly kind: "link"; readonly link: LinkFacts };

export interface ResultFacts {
  /** `Result`, with its size where that is worth knowing. */
  readonly label: string;
  readonly parts: readonly ResultPart[];
  /** A value besides the parts, if they do not say the same. */
  readonly data: Json | undefined;
}

const LARGE = 4096;

/** Undefined if the call answered with nothing, or not yet. */
export const describeResult = ({ content = [], value, bytes, endedAt }: CallNode): ResultFacts | undefined => {
  if (endedAt === undefined || (content.length === 0 && value === undefined)) return undefined;
  const size = bytes?.result;
  const isRepeated = value !== undefined && content.some((part) => repeats(part, value));
  return {
    label: size !== undefined && size > LARGE ? `Result, ${byteText(size)}` : "Result",
    parts: content.length === 0 ? [{ kind: "value", value: value! }] : content.map(partOf),
    data: content.length === 0 || isRepeated ? undefined : value,
  };
};

const partOf = (part: Content): ResultPart => {
  switch (part.type) {
    case "text":
      return { kind: "text", text: part.text };
    case "json":
      return { kind: "value", value: part.value };
    case "file":
      return { kind: "file", file: part };
    case "link":
      return { kind: "link", link: describeLink(part.url, part.title) };
  }
};

const LONGEST_COMPARED = 200_000;

/** Whether a part only repeats the value. */
const repeats = (part: Content, value: Json): boolean => {
  if (part.type === "json") return JSON.stringify(part.value) === JSON.stringify(value);
  if (part.type !== "text" || part.text.length > LONGEST_COMPARED) return false;
  const text = part.text.trim();
  return text === JSON.stringify(value) || text === JSON.stringify(value, undefined, 2) || text === value;
};
