import { make, makeLink, safeUrl } from "./make.ts";

/**
 * Shows text as it grows. The common marks of Markdown are understood: headings, lists, quotes, code, bold, italic, links. Everything
 * else, HTML too, stays the text that it is.
 *
 * A line that has ended is never drawn again, and a long one is ended here: a token costs the same however much came before.
 */
export interface GrowingText {
  readonly element: HTMLElement;
  /** All of the text so far. It either begins with what was shown before, or is shown anew. */
  show(text: string): void;
}

/** A line that is longer goes on in a piece of its own. */
const LONGEST_PIECE = 1000;
/** A line with more marks than this has no marks but characters: finding pairs among them could take for ever. */
const MOST_MARKS = 100;
const FENCE = /^ {0,3}(?:```|~~~)/;

export const createMarkdown = (): GrowingText => {
  const element = make("div", "text");
  let beginning = "";
  let length = 0;
  /** What is known of the line that is open, and what is drawn of it. */
  let line = "";
  let drawn: HTMLElement | Text | undefined;
  /** Where a line goes on that is longer than a piece. */
  let block: HTMLElement | undefined;
  let code: HTMLElement | undefined;
  let isAfterBlank = false;

  const clear = (): void => {
    element.replaceChildren();
    [beginning, length, line, isAfterBlank] = ["", 0, "", false];
    drawn = block = code = undefined;
  };
  const put = (made: HTMLElement | Text): void => {
    if (drawn) drawn.replaceWith(made);
    else (code ?? block ?? element).append(made);
    drawn = made;
  };
  const draw = (): void => {
    if (code) put(document.createTextNode(line));
    else if (block) put(make("span", "", ...inline(line)));
    else if (line.trim() !== "" && !FENCE.test(line)) put(blockOf(line, isAfterBlank));
  };
  const endPiece = (): void => {
    draw();
    block = code || block ? block : drawn instanceof HTMLElement ? drawn : undefined;
    drawn = undefined;
    line = "";
  };
  const endLine = (): void => {
    const isFence = !block && FENCE.test(line);
    if (isFence) {
      drawn?.remove();
      code = code ? undefined : element.appendChild(make("pre", "code")).appendChild(make("code"));
    } else {
      if (code) line += "\n";
      draw();
      isAfterBlank = !code && line.trim() === "" && !block;
    }
    drawn = block = undefined;
    line = "";
  };

  return {
    element,
    show: (text) => {
      if (text.length < length || !text.startsWith(beginning)) clear();
      for (let at = length; at < text.length;) {
        const found = text.indexOf("\n", at);
        const stop = Math.min(found < 0 ? text.length : found, at + LONGEST_PIECE - line.length);
        line += text.slice(at, stop);
        at = stop;
        if (at === found) {
          endLine();
          at++;
        } else if (line.length >= LONGEST_PIECE) endPiece();
      }
      if (line !== "") draw();
      length = text.length;
      // Enough to tell another text from a longer one: comparing all of it would make each token dearer than the last.
      beginning = text.slice(0, 64);
    },
  };
};

const blockOf = (line: string, isAfterBlank: boolean): HTMLElement => {
  const text = line.trim();
  const heading = /^#{1,6} +(.*)$/.exec(text);
  const item = /^[-*+] +(.*)$/.exec(text);
  const quote = /^> ?(.*)$/.exec(text);
  const gap = isAfterBlank ? " gap" : "";
  if (heading) return make("p", "heading gap", ...inline(heading[1]!));
  if (/^(?:[-*_] *){3,}$/.test(text)) return make("hr");
  if (quote) return make("p", `quote${gap}`, ...inline(quote[1]!));
  if (!item && !/^\d{1,9}[.)] +/.test(text)) return make("p", gap.trim(), ...inline(text));
  const made = make("p", `${item ? "item" : "number"}${gap}`, ...inline(item ? item[1]! : text));
  made.dataset["level"] = `${Math.min(4, Math.floor(/^\s*/.exec(line)![0].length / 2))}`;
  return made;
};

const INLINE =
  /`([^`]{1,300})`|\*\*([^*]{1,300})\*\*|(?<![\w*])\*([^*\s][^*]{0,300})\*(?!\*)|\[([^[\]]{1,300})\]\(([^()\s]{1,1000})\)/g;

const inline = (text: string): (Node | string)[] => {
  if ((text.match(/[`*[]/g)?.length ?? 0) > MOST_MARKS) return [text];
  const made: (Node | string)[] = [];
  let at = 0;
  for (const match of text.matchAll(INLINE)) {
    const [all, code, bold, italic, words, url = ""] = match;
    made.push(text.slice(at, match.index));
    at = match.index + all.length;
    const address = safeUrl(url);
    if (code !== undefined) made.push(make("code", "", code));
    else if (bold !== undefined) made.push(make("strong", "", bold));
    else if (italic !== undefined) made.push(make("em", "", italic));
    else made.push(address === undefined ? all : makeLink(address, words));
  }
  made.push(text.slice(at));
  return made;
};
