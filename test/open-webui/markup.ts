import { type Display, isQuestion, ungrouped } from "./display.ts";
import { decodeEntities, markdownBlocks, outsideCode } from "./markdown-blocks.ts";

/** What may open an element, a link, an image, a formula or a fence in Markdown, and what hostile text carries. */
const OPENERS = /<[a-z!/?]|\]\(|!\[|\]\[|\$|\\\(|\\\[|:::|javascript:|pwned/i;

/** A question has a link of ours behind it. */
const withoutLink = (text: string): string =>
  isQuestion(text) ? text.replace(/\[[\w ]+\]\([^()\s]*\)$/, "").replaceAll("pwned", "") : text;

/** What of a text would be more than characters on the page. */
const markupIn = (markdown: string): readonly string[] =>
  markdownBlocks(markdown.trim()).flatMap((block) => {
    if (block.kind !== "details")
      return block.kind === "html" || (block.kind === "text" && OPENERS.test(outsideCode(block.text)))
        ? [block.text]
        : [];
    // The body of a card is shown as it is; that of anything else is decoded, and is Markdown then.
    const names = [block.summary, block.attributes["name"] ?? ""].filter((text) => OPENERS.test(text));
    return block.attributes["type"] === "tool_calls" ? names : [...names, ...markupIn(decodeEntities(block.body))];
  });

/** What in a message a person would not merely read. `own`: texts that are the agent's, or ours. */
export const markup = ({ items, sources }: Display, own: (text: string) => boolean): readonly string[] => [
  ...ungrouped(items).flatMap((item) => {
    if (item.kind === "text") return own(item.text) ? [] : markupIn(withoutLink(item.text));
    // Up to 0.11.0 names are Markdown.
    return item.kind === "card" && OPENERS.test(item.name) ? [item.name] : [];
  }),
  ...sources.flatMap(({ text, url }) => [...markupIn(text), ...(url && !/^https?:/.test(url) ? [url] : [])]),
];
