import { type Inline, namesPlace, plainText, safeUrl, visibleText } from "../markdown.ts";
import { make, makeAnchor } from "./make.ts";

/** Inlines as DOM nodes. Nothing is fetched: an image becomes a link. */
export const inlineNodes = (inlines: readonly Inline[]): (Node | string)[] => inlines.flatMap(nodesOf);

const TAGS = { emphasis: "em", strong: "strong", deleted: "del" } as const;

const nodesOf = (inline: Inline): (Node | string)[] => {
  switch (inline.kind) {
    case "text":
      return [visibleText(inline.text)];
    case "code":
    case "math":
      return [make("code", inline.kind === "math" ? "math" : "", visibleText(inline.text))];
    case "break":
      return [make("br")];
    case "link":
      // An empty `url` means that the link is still being written.
      if (inline.url === "") return inlineNodes(inline.children);
      return linkNodes(inline.url, plainText(inline.children), inlineNodes(inline.children));
    case "image":
      return linkNodes(inline.url, inline.alt, [visibleText(inline.alt) || "image"]);
    default:
      return [make(TAGS[inline.kind], "", ...inlineNodes(inline.children))];
  }
};

/** A link that shows its host, unless the text already names it. */
const linkNodes = (url: string, text: string, children: readonly (Node | string)[]): (Node | string)[] => {
  const target = safeUrl(url);
  const shown = make("bdi", "", ...children);
  if (!target) return [shown, " ", make("span", "soft", "(unsafe link removed)")];
  const link = makeAnchor(target.href, shown);
  return namesPlace(text, target.place) ? [link] : [link, " ", make("bdi", "soft", visibleText(target.place))];
};
