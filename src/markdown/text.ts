import type { Block } from "./block.ts";
import { plainText } from "./inline/brackets.ts";
import { createParser, type MarkdownParser } from "./parser.ts";

/** The text of Markdown without its markup, for plain-text output. Table cells are separated by tabs, and list items keep their markers. */
export const textOfMarkdown = (markdown: string): string => {
  const parser = createParser();
  parser.write(markdown);
  parser.end();
  return blockText(parser, parser.document);
};

const blockText = (parser: MarkdownParser, block: Block): string => {
  const { kind, children } = block;
  switch (kind) {
    case "code":
      return children
        .map(({ text }) => text)
        .join("")
        .replace(/\n$/, "");
    case "math":
      return block.text.trim();
    case "table":
      return children.map((row) => parser.cells(row).map(plainText).join("\t")).join("\n");
    case "list":
      return children
        .map((item, index) => marked(markerOf(block, index), blockText(parser, item)))
        .join(block.loose ? "\n\n" : "\n");
    case "rule":
      return "";
    case "paragraph":
    case "heading":
      return children.map((piece) => plainText(parser.inlines(piece))).join("");
    default:
      return children
        .map((child) => blockText(parser, child))
        .filter(Boolean)
        .join(kind === "item" && block.parent?.loose === false ? "\n" : "\n\n");
  }
};

const markerOf = (list: Block, index: number): string => (list.mark.length === 1 ? "- " : `${list.level + index}. `);

const marked = (marker: string, text: string): string =>
  marker + text.replaceAll(/\n(?!\n|$)/g, `\n${" ".repeat(marker.length)}`);
