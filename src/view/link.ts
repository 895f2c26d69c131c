import { namesPlace, safeUrl, visibleText } from "../markdown.ts";

/** A link that a model or a tool gave. Without `href` it is text: nothing but the web and mail is ever followed. */
export interface LinkFacts {
  readonly href: string | undefined;
  readonly text: string;
  /** Where it leads: the host, or the mail address. Empty if the text is that address, or nothing is followed. */
  readonly place: string;
}

const LONGEST = 2000;

export const describeLink = (url: string, title?: string): LinkFacts => {
  const safe = safeUrl(url.trim());
  const text = visibleText((title?.trim() || url).slice(0, LONGEST));
  if (!safe) return { href: undefined, text, place: "" };
  const place = visibleText(safe.place);
  return { href: safe.href, text, place: namesPlace(text, place) ? "" : place };
};
