import {
  beginsTask,
  type Block,
  createParser,
  type Inline,
  type MarkdownParser,
  taskOf,
  withoutBox,
} from "../../src/markdown.ts";

/** The tree of a text, as HTML in the style of the specification's examples. Formulas are `<math>`. */
export const htmlOf = (parts: string | readonly string[]): string => {
  const parser = createParser();
  for (const part of [parts].flat()) parser.write(part);
  parser.end();
  return blockHtml(parser, parser.document);
};

const BLOCK = "ul|ol|li|p|pre|blockquote|h\\d|table|thead|tbody|tr|th|td|hr|br|section";

/** HTML without differences of spelling: white space around blocks, escapes, the form of empty elements and checkboxes. */
export const normalHtml = (html: string): string =>
  html
    .replaceAll("\r\n", "\n")
    .replaceAll(/<input ([^>]*)>\s*/g, (_, box: string) => `<input${box.includes("checked") ? " checked" : ""}>`)
    .replaceAll(/ ?\/>/g, ">")
    .replaceAll(/(?<=(?:href|src)=)"([^"]*)"/g, (_, url: string) => `"${decoded(url.replaceAll("&gt;", ">"))}"`)
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll(new RegExp(`\\n(?=</?(?:${BLOCK})\\b)|(?<=</?(?:${BLOCK})\\b[^>]*>)\\n`, "g"), "")
    .trim();

const decoded = (url: string): string => {
  try {
    return decodeURI(url);
  } catch {
    return url;
  }
};

/** Like `htmlOf`, but without ending the text. */
export const openHtmlOf = (text: string): string => {
  const parser = createParser();
  parser.write(text);
  return blockHtml(parser, parser.document);
};

const blockHtml = (parser: MarkdownParser, block: Block): string => {
  const inside = (): string => block.children.map((child) => blockHtml(parser, child)).join("");
  const prose = (): string =>
    inlineHtml(
      block.children.flatMap((piece) =>
        beginsTask(piece) ? withoutBox(parser.inlines(piece)) : parser.inlines(piece),
      ),
    ).replace(/[ \t\n]+$/, "");
  switch (block.kind) {
    case "document":
      return inside();
    case "quote":
      return `<blockquote>${inside()}</blockquote>`;
    case "list": {
      const start = block.level === 1 ? "" : ` start="${block.level}"`;
      return block.mark.length === 1 ? `<ul>${inside()}</ul>` : `<ol${start}>${inside()}</ol>`;
    }
    case "item":
      return `<li>${inside()}</li>`;
    case "paragraph": {
      const text = prose();
      if (text === "") return "";
      const task = block.index === 0 && block.parent!.kind === "item" ? taskOf(block.parent!) : undefined;
      const box = task ? `<input type="checkbox"${task === "done" ? " checked" : ""}>` : "";
      const tight = block.parent!.kind === "item" && !block.parent!.parent!.loose;
      return tight ? box + text : `<p>${box}${text}</p>`;
    }
    case "heading":
      return `<h${block.level}>${prose()}</h${block.level}>`;
    case "rule":
      return "<hr>";
    case "code": {
      const language = block.mark === "" ? "" : ` class="language-${escaped(block.mark)}"`;
      return `<pre><code${language}>${escaped(block.children.map(({ text }) => text).join(""))}</code></pre>`;
    }
    case "math":
      return `<math display="${block.level === 1}">${escaped(block.text.trim())}</math>`;
    case "table": {
      const row = (piece: Block, tag: string): string => {
        const cells = parser.cells(piece);
        const html = block.align.map((align, index) => {
          const text = inlineHtml(cells[index] ?? []).trim();
          return `<${tag}${align ? ` align="${align}"` : ""}>${text}</${tag}>`;
        });
        return `<tr>${html.join("")}</tr>`;
      };
      const [head, ...body] = block.children;
      const rows = body.map((piece) => row(piece, "td")).join("");
      return `<table><thead>${row(head!, "th")}</thead>${rows && `<tbody>${rows}</tbody>`}</table>`;
    }
    case "piece":
      return "";
  }
};

const TAGS = { emphasis: "em", strong: "strong", deleted: "del" } as const;

const inlineHtml = (inlines: readonly Inline[]): string =>
  inlines
    .map((inline) => {
      switch (inline.kind) {
        case "text":
          return escaped(inline.text);
        case "code":
          return `<code>${escaped(inline.text)}</code>`;
        case "math":
          return `<math display="${inline.display}">${escaped(inline.text)}</math>`;
        case "break":
          return "<br>";
        case "link":
          return `<a href="${attribute(inline.url)}"${title(inline.title)}>${inlineHtml(inline.children)}</a>`;
        case "image":
          return `<img src="${attribute(inline.url)}" alt="${attribute(inline.alt)}"${title(inline.title)}>`;
        default:
          return `<${TAGS[inline.kind]}>${inlineHtml(inline.children)}</${TAGS[inline.kind]}>`;
      }
    })
    .join("");

const title = (text: string): string => (text === "" ? "" : ` title="${attribute(text)}"`);
const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
const attribute = (text: string): string => escaped(text).replaceAll('"', "&quot;");
