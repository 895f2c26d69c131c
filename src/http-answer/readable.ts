/**
 * Converts a page to readable text: headings, paragraphs, lists, links, and tables. A single pass over the tags. Not a
 * browser, and the result is not safe to show as HTML.
 */
export const readableText = (html: string): { title: string; text: string } => {
  let out = "";
  let title = "";
  let href: string | undefined;
  let pre = 0;
  const add = (text: string): void => {
    out += pre > 0 ? text : text.replace(/\s+/g, " ");
  };
  for (let at = 0; at < html.length;) {
    const open = html.indexOf("<", at);
    if (open !== at) add(decodeEntities(html.slice(at, open < 0 ? undefined : open)));
    if (open < 0) break;
    if (html.startsWith("<!--", open)) {
      at = after(html, "-->", open + 4);
      continue;
    }
    const tag = TAG.exec(html.slice(open, open + 64));
    if (!tag && !/[!?]/.test(html[open + 1] ?? "")) {
      add("<");
      at = open + 1;
      continue;
    }
    const end = endOfTag(html, open);
    at = end + 1;
    if (!tag) continue;
    const isClosing = tag[1] === "/";
    const name = tag[2]!.toLowerCase();
    if (!isClosing && SILENT.has(name)) {
      const close = findClose(html, name, at);
      if (name === "title") title ||= decodeEntities(html.slice(at, close)).replace(/\s+/g, " ").trim();
      at = after(html, ">", close);
    } else if (name === "a") {
      if (isClosing && href) out += `](${href})`;
      href = isClosing ? undefined : linkOf(html.slice(open, end));
      if (href) out += "[";
    } else if (name === "pre") {
      pre = Math.max(0, pre + (isClosing ? -1 : 1));
      out += "\n\n";
    } else if (/^h[1-6]$/.test(name)) out += isClosing ? "\n\n" : `\n\n${"#".repeat(Number(name[1]))} `;
    else if (name === "li" && !isClosing) out += "\n- ";
    else if ((name === "td" || name === "th") && isClosing) out += " | ";
    else if (name === "br" || name === "tr" || name === "hr") out += "\n";
    else if (BLOCKS.has(name)) out += "\n\n";
  }
  return { title, text: tidy(out) };
};

const TAG = /^<(\/?)([a-z][a-z0-9-]*)/i;
const SILENT = new Set(["script", "style", "noscript", "template", "svg", "title", "iframe", "object", "textarea"]);
const BLOCKS = new Set(
  "p div section article header footer main nav aside ul ol dl dt dd table blockquote figure form fieldset address body".split(
    " ",
  ),
);

const after = (html: string, text: string, from: number): number => {
  const found = html.indexOf(text, from);
  return found < 0 ? html.length : found + text.length;
};

/** The `>` that ends a tag, skipping those in quoted values. A tag that never ends consumes the rest. */
const endOfTag = (html: string, open: number): number => {
  let quote = "";
  for (let at = open + 1; at < html.length; at++) {
    const character = html[at]!;
    if (quote) quote = character === quote ? "" : quote;
    else if (character === ">") return at;
    else if ((character === '"' || character === "'") && html[at - 1] === "=") quote = character;
  }
  return html.length;
};

const findClose = (html: string, name: string, from: number): number => {
  for (let at = html.indexOf("</", from); at >= 0; at = html.indexOf("</", at + 2)) {
    if (html.slice(at + 2, at + 2 + name.length).toLowerCase() === name) return at;
  }
  return html.length;
};

const linkOf = (tag: string): string | undefined => {
  const found = /\shref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i.exec(tag.slice(0, 4096));
  const href = decodeEntities(found?.[1] ?? found?.[2] ?? found?.[3] ?? "").trim();
  return /^(?:https?:|[/.?]|[\w-]+(?:[/.?]|$))/i.test(href) && !/^javascript:/i.test(href) ? href : undefined;
};

const tidy = (text: string): string =>
  text
    .split("\n")
    .map((line) =>
      line
        .trimEnd()
        .replace(/ \|$/, "")
        .replace(/^ (?! )/, ""),
    )
    .join("\n")
    .replace(/\[\s*\]\([^)\n]{0,1000}\)/g, "")
    .replace(/\n{3,}/g, "\n\n")
    .trim();

const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  ndash: "–",
  mdash: "—",
  hellip: "…",
  lsquo: "‘",
  rsquo: "’",
  ldquo: "“",
  rdquo: "”",
  copy: "©",
  reg: "®",
  trade: "™",
  euro: "€",
  deg: "°",
  middot: "·",
  bull: "•",
  times: "×",
  auml: "ä",
  ouml: "ö",
  uuml: "ü",
  szlig: "ß",
  eacute: "é",
  egrave: "è",
};

const decodeEntities = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,8}));/gi, (whole, decimal, hex, name) => {
    if (name) return Object.hasOwn(ENTITIES, name) ? ENTITIES[name]! : whole;
    const code = decimal ? Number(decimal) : Number.parseInt(hex, 16);
    return code > 0 && code <= 0x10ffff && (code & 0xfffff800) !== 0xd800 ? String.fromCodePoint(code) : "\ufffd";
  });
