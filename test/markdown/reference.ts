import { micromark } from "micromark";
import { gfm, gfmHtml } from "micromark-extension-gfm";

/** How a reference treats raw HTML: as its specification says, or as text, even where HTML blocks would start. */
type RawHtml = "raw" | "text";

const options = (html: RawHtml) => ({
  allowDangerousProtocol: true,
  allowDangerousHtml: html === "raw",
  extensions: html === "raw" ? [] : [{ disable: { null: ["htmlFlow"] } }],
});

/** A text as HTML by micromark, which follows CommonMark. */
export const commonMark = (text: string, html: RawHtml = "text"): string => micromark(text, options(html));

/** The same with GitHub's tables, tasks, strikethrough, autolinks, and footnotes. */
export const gitHub = (text: string, html: RawHtml = "text"): string => {
  const { extensions, ...rest } = options(html);
  return micromark(text, { ...rest, extensions: [...extensions, gfm()], htmlExtensions: [gfmHtml()] });
};
