import { namesPlace, safeUrl, visibleText } from "../markdown.ts";

/** A link from a model or a tool. Without `href` it is plain text: only web and email links are allowed. */
export interface LinkFacts {
  readonly href: string | undefined;
  readonly text: string;
  /** The host or email address it leads to. Empty if the text already shows it, or if there is no `href`. */
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
