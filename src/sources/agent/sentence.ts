/** A server's message as one readable line: the title of a web page, or the beginning of a long text. */
export const sentence = (text: string): string => {
  const plain = isWebPage(text) ? pageText(text) : text;
  const line = plain.replaceAll(/\s+/g, " ").trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST).trimEnd()}…` : line;
};

const LONGEST = 300;
/** The most to read of a page. */
const PAGE = 20_000;

const isWebPage = (text: string): boolean => /^\s*(<!doctype html|<html|<head|<body)/i.test(text);

const pageText = (text: string): string => {
  const page = text.slice(0, PAGE);
  const title = /<title[^>]*>([^<]*)<\/title>/i.exec(page)?.[1]?.trim();
  if (title) return title;
  return page.replaceAll(/<(script|style)[\s\S]*?<\/\1>/gi, " ").replaceAll(/<[^>]*>/g, " ");
};
