/** What a server said, as one line that a person can read: of a web page its title, of a long text its beginning. */
export const sentence = (text: string): string => {
  const plain = isWebPage(text) ? pageText(text) : text;
  const line = plain.replaceAll(/\s+/g, " ").trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST).trimEnd()}…` : line;
};

const LONGEST = 300;
/** More of a page says nothing new. */
const PAGE = 20_000;

const isWebPage = (text: string): boolean => /^\s*(<!doctype html|<html|<head|<body)/i.test(text);

const pageText = (text: string): string => {
  const page = text.slice(0, PAGE);
  const title = /<title[^>]*>([^<]*)<\/title>/i.exec(page)?.[1]?.trim();
  if (title) return title;
  return page.replaceAll(/<(script|style)[\s\S]*?<\/\1>/gi, " ").replaceAll(/<[^>]*>/g, " ");
};
