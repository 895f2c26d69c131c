import type { Content, FileRef, Json } from "../events.ts";
import type { CallNode } from "../state.ts";
import { byteText } from "./amounts.ts";
import { describeLink, type LinkFacts } from "./link.ts";

/** One part of a call's result, in the form that displays best. */
export type ResultPart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "value"; readonly value: Json }
  | { readonly kind: "file"; readonly file: FileRef }
  | { readonly kind: "link"; readonly link: LinkFacts };

export interface ResultFacts {
  /** `Result`, with its size if it is large. */
  readonly label: string;
  readonly parts: readonly ResultPart[];
  /** A value besides the parts, unless a part already contains it. */
  readonly data: Json | undefined;
  /** The file locations the call touched, such as `notes.txt:2`. */
  readonly places: readonly string[];
}

const LARGE = 4096;

/** Returns undefined if the call has no result, or none yet. Omits content that its output already shows. */
export const describeResult = (call: CallNode): ResultFacts | undefined => {
  const { bytes, endedAt, output } = call;
  const content = (call.content ?? []).filter((part) => !isOutput(part, call));
  const places = placesIn(call.value);
  // Metadata from a coding agent is shown elsewhere: locations in `places`, the exit code with the output.
  const value = places ? undefined : call.value;
  const isShownAsOutput = output.length > 0 && call.content !== undefined;
  const hasNothing = content.length === 0 && (value === undefined || isShownAsOutput) && !places?.length;
  if (endedAt === undefined || hasNothing) return undefined;
  const size = bytes?.result;
  const isRepeated = value !== undefined && content.some((part) => repeats(part, value));
  const isData = content.length === 0 && value !== undefined;
  return {
    label: size !== undefined && size > LARGE ? `Result, ${byteText(size)}` : "Result",
    parts: isData ? [{ kind: "value", value }] : content.map(partOf),
    data: content.length === 0 || isRepeated ? undefined : value,
    places: places ?? [],
  };
};

const FACTS: ReadonlySet<string> = new Set(["kind", "locations", "exitCode", "signal"]);

/** The file locations of a call, if its value consists only of coding agent metadata. */
const placesIn = (value: Json | undefined): readonly string[] | undefined => {
  if (typeof value !== "object" || value === null || Array.isArray(value) || typeof value["kind"] !== "string")
    return undefined;
  if (!Object.keys(value).every((key) => FACTS.has(key))) return undefined;
  const { locations } = value;
  return (Array.isArray(locations) ? locations : []).flatMap((place) => {
    const { path, line } = (place ?? {}) as { path?: Json; line?: Json };
    return typeof path === "string" ? [typeof line === "number" ? `${path}:${line}` : path] : [];
  });
};

/** Whether a part only repeats the output. */
const isOutput = (part: Content, { output, outputLength }: CallNode): boolean => {
  if (part.type !== "text" || output.length === 0) return false;
  const shown = output.map(({ text }) => text).join("");
  const isWhole = shown.length === outputLength.stdout + outputLength.stderr;
  return isWhole && part.text.trim() === shown.trim();
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
