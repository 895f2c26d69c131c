import type { Badge, LinkFacts } from "../view.ts";
import { icon } from "./icon.ts";

type Child = Node | string | undefined;

/** Creates an element with a class and children. Text is never parsed as HTML. */
export const make = <Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  className = "",
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] => {
  const element = document.createElement(tag);
  if (className) element.className = className;
  for (const child of children) if (child !== undefined) element.append(child);
  return element;
};

/** Sets the text only if it differs, to avoid layout work and keep the selection. */
export const setText = (element: HTMLElement, text: string): void => {
  if (element.textContent !== text) element.textContent = text;
  element.hidden = text === "";
};

/** A link to an address that is safe to follow. */
export const makeAnchor = (href: string, ...children: readonly Child[]): HTMLElement => {
  const anchor = make("a", "", ...children);
  anchor.href = href;
  anchor.target = "_blank";
  anchor.rel = "noopener noreferrer nofollow";
  return anchor;
};

/** A link from a model or a tool, with its host. Plain text if it must not be followed. */
export const makeLink = ({ href, text, place }: LinkFacts): HTMLElement =>
  href === undefined
    ? make("span", "", text)
    : make("span", "", makeAnchor(href, text), place && make("span", "soft", ` ${place}`));

/** A badge's icon and word. */
export const makeBadge = ({ state, word }: Badge): readonly [SVGElement, HTMLElement] => [
  icon(state),
  make("span", "word", word),
];
