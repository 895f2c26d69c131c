import { nameText } from "./text.ts";

export interface ResultImage {
  readonly url: string;
  readonly name: string;
}

const MAX_IMAGES = 8;
/** Marks an image that a style added, so it can be removed when the text comes back. */
const TITLE = "Result of ";
const ADDED = new RegExp(String.raw`\n*!\[[^\]\n]*\]\([^\s()]+ "${TITLE}[^"\n]*"\)\n*`, "g");

/**
 * The images of a result as Markdown. Newer versions show an image of another origin only in Markdown. In the files of
 * a card or a message, they show Open WebUI's own icon instead.
 */
export const imagesText = (tool: string, images: readonly ResultImage[]): string =>
  images
    .slice(0, MAX_IMAGES)
    .map(({ name, url }) => `![${name}](${url} "${TITLE}${nameText(tool)}")`)
    .join("\n\n");

/** The agent's own text. */
export const withoutImages = (text: string): string => (text.includes(TITLE) ? text.replace(ADDED, "\n\n") : text);
