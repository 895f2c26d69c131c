import { type Display, isQuestion, ungrouped } from "./display.ts";
import { decodeEntities, markdownBlocks, outsideCode } from "./markdown-blocks.ts";

/** What may open an element, link, image, formula, or fence in Markdown, and what hostile text contains. */
const OPENERS = /<[a-z!/?]|\]\(|!\[|\]\[|\$|\\\(|\\\[|:::|javascript:|pwned/i;

/** Removes the link at the end of a question, which is ours. */
const withoutLink = (text: string): string =>
  isQuestion(text) ? text.replace(/\[[\w ]+\]\([^()\s]*\)$/, "").replaceAll("pwned", "") : text;

/** The parts of a text that would be more than plain characters on the page. */
const markupIn = (markdown: string): readonly string[] =>
  markdownBlocks(markdown.trim()).flatMap((block) => {
    if (block.kind !== "details")
      return block.kind === "html" || (block.kind === "text" && OPENERS.test(outsideCode(block.text)))
        ? [block.text]
        : [];
    // The body of a card is shown literally. Any other body is decoded and then treated as Markdown.
    const names = [block.summary, block.attributes["name"] ?? ""].filter((text) => OPENERS.test(text));
    return block.attributes["type"] === "tool_calls" ? names : [...names, ...markupIn(decodeEntities(block.body))];
  });

/** Everything in a message that is more than plain text. `own`: texts from the agent or from us. */
export const markup = ({ items, sources }: Display, own: (text: string) => boolean): readonly string[] => [
  ...ungrouped(items).flatMap((item) => {
    if (item.kind === "text") return own(item.text) ? [] : markupIn(withoutLink(item.text));
    // Up to 0.11.0 names are Markdown.
    return item.kind === "card" && OPENERS.test(item.name) ? [item.name] : [];
  }),
  ...sources.flatMap(({ text, url }) => [...markupIn(text), ...(url && !/^https?:/.test(url) ? [url] : [])]),
];
