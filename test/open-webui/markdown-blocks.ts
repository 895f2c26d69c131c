/** A message's text as Open WebUI's Markdown splits it, as far as tool output is concerned: where its blocks and code are. */
export type Block = TextBlock | DetailsBlock;

export interface TextBlock {
  /** `html`: inserted into the page after sanitizing. `code`: shown literally. */
  readonly kind: "text" | "code" | "html";
  readonly text: string;
}

/** What becomes a card (`type="tool_calls"`) or an expandable block. */
export interface DetailsBlock {
  readonly kind: "details";
  readonly attributes: Readonly<Record<string, string>>;
  readonly summary: string;
  /** Not decoded yet. */
  readonly body: string;
}

const FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/;
const LIST = /^ {0,3}(?:[*+-]|\d{1,9}[.)])(?: |$)/;
const HTML = /^ {0,3}<(?:[a-zA-Z][\w-]*(?:[\s/>]|$)|\/[a-zA-Z]|!|\?)/;
const UNDERLINE = /^ {0,3}(?:=+|-+) *$/;

export const markdownBlocks = (markdown: string): readonly Block[] => {
  const blocks: Block[] = [];
  let rest = markdown;
  while (rest !== "") {
    const details = detailsAt(rest);
    if (details) {
      blocks.push(details.block);
      rest = rest.slice(details.length);
      continue;
    }
    const lines = rest.split("\n");
    if (lines[0]!.trim() === "") {
      rest = lines.slice(1).join("\n");
      continue;
    }
    // A quirk of the lexer: after a paragraph of one character, a block may start on the same line.
    if (/^[^\s<]<details[\s>]/.test(rest)) {
      blocks.push({ kind: "text", text: rest[0]! });
      rest = rest.slice(1);
      continue;
    }
    const { kind, count } = nextBlock(lines);
    blocks.push({ kind, text: lines.slice(0, count).join("\n") });
    rest = lines.slice(count).join("\n");
  }
  return blocks;
};

/** The block that starts on the first line, and its number of lines. */
const nextBlock = (lines: readonly string[]): { kind: TextBlock["kind"]; count: number } => {
  const first = lines[0]!;
  const fence = FENCE.exec(first)?.[1];
  if (fence !== undefined) {
    const end = lines.findIndex((line, index) => index > 0 && isClosing(line, fence));
    return { kind: "code", count: end < 0 ? lines.length : end + 1 };
  }
  if (/^ {4}|^\t/.test(first)) return { kind: "code", count: until(lines, (line) => !/^ {4}|^\t/.test(line)) };
  const toBlank = until(lines, (line) => line.trim() === "");
  if (HTML.test(first)) return { kind: "html", count: toBlank };
  // Text that follows a list item without a blank line, or indented, belongs to the item.
  if (LIST.test(first))
    return {
      kind: "text",
      count: until(lines, (line, index) => lines[index - 1]!.trim() === "" && !/^\s/.test(line) && !LIST.test(line)),
    };
  const underline = lines.slice(0, toBlank).findIndex((line, index) => index > 0 && UNDERLINE.test(line));
  if (underline > 0) return { kind: "text", count: underline + 1 };
  return { kind: "text", count: until(lines.slice(0, toBlank), (line) => HTML.test(line) || FENCE.test(line)) };
};

const until = (lines: readonly string[], isEnd: (line: string, index: number) => boolean): number => {
  const end = lines.findIndex((line, index) => index > 0 && isEnd(line, index));
  return end < 0 ? lines.length : end;
};

const isClosing = (line: string, fence: string): boolean => {
  const closing = line.trim();
  return closing.length >= fence.length && closing === fence[0]!.repeat(closing.length) && !line.startsWith("    ");
};

const OPENING = "<details";
const CLOSING = "</details>";

const detailsAt = (text: string): { block: DetailsBlock; length: number } | undefined => {
  const tag = /^<details(\s+[^>]*)?>\n/.exec(text)?.[0];
  if (tag === undefined) return undefined;
  const end = closingAt(text);
  if (end < 0) return undefined;
  const body = text.slice(tag.length, end).trim();
  const summary = /^<summary>(.*?)<\/summary>\n/.exec(body);
  const attributes = Object.fromEntries([...tag.matchAll(/(\w+)="(.*?)"/g)].map(([, name, value]) => [name!, value!]));
  return {
    block: {
      kind: "details",
      attributes,
      summary: summary?.[1]?.trim() ?? "",
      body: summary ? body.slice(summary[0].length).trim() : body,
    },
    length: end + CLOSING.length,
  };
};

/** The position of the closing tag that matches the first opening one, or -1 if it is missing. */
const closingAt = (text: string): number => {
  let depth = 1;
  for (const { 0: tag, index } of text.slice(OPENING.length).matchAll(/<details|<\/details>/g)) {
    depth += tag === OPENING ? 1 : -1;
    if (depth === 0) return index + OPENING.length;
  }
  return -1;
};

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** Decodes entities. Open WebUI knows more names, with and without a semicolon, so an ampersand that is not ours is an error. */
export const decodeEntities = (text: string): string =>
  text.replace(/&(?:(\w+)|#(\d+)|#x([\da-f]+));?/gi, (entity, name, decimal, hex) => {
    if (name === undefined) return String.fromCodePoint(decimal ? Number(decimal) : Number.parseInt(hex, 16));
    const character = ENTITIES[name];
    if (character === undefined || !entity.endsWith(";")) throw new Error(`${entity} was not meant to be an entity`);
    return character;
  });

/** The parts of a Markdown line outside of code spans. Omits escaped characters. */
export const outsideCode = (line: string): string => {
  let outside = "";
  let rest = line;
  while (rest !== "") {
    const run = /`+/.exec(rest);
    if (!run) break;
    outside += rest.slice(0, run.index);
    const after = rest.slice(run.index + run[0].length);
    const closing = [...after.matchAll(/`+/g)].find(([backticks]) => backticks === run[0]);
    if (!closing) {
      outside += run[0];
      rest = after;
    } else rest = after.slice(closing.index + closing[0].length);
  }
  return (outside + rest).replace(/\\[!-/:-@[-`{-~]/g, "");
};
