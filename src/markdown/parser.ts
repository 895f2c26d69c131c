import { type Block, createBlock, touch } from "./block.ts";
import { type Code, createCode } from "./code.ts";
import { type Definitions, createDefinitions } from "./definitions.ts";
import { parseInline } from "./inline.ts";
import { type Prose, createProse, maybeDefinition } from "./prose.ts";
import { type Contents, createContents } from "./contents.ts";
import { type Before, type Container, type Line, type Opening, scan } from "./scan.ts";

/**
 * Parses Markdown that arrives in chunks. The result does not depend on the chunking, and the cost of a chunk does not
 * depend on what came before it. Text is shown as it arrives once the structure of its line is certain.
 */
export interface MarkdownParser extends Contents {
  readonly document: Block;
  write(text: string): void;
  end(): void;
}

interface Frame extends Container {
  readonly block: Block;
}

const NO_FENCE = { mark: "", indent: 0 };

export const createParser = (): MarkdownParser => {
  const document = createBlock("document");
  const definitions: Definitions = createDefinitions();
  const frames: Frame[] = [];
  let leaf: Block | undefined;
  let leafKind: Before["leaf"] = "none";
  let fence = NO_FENCE;
  let prose: Prose | undefined;
  let code: Code | undefined;
  // Blank lines within indented code count only if more code follows.
  let blanks: string[] = [];
  // Undefined if the last line was not blank. Otherwise the number of containers up to and including the innermost quote.
  let blankFrom: number | undefined;
  let held = "";
  let decided = false;
  let carriage = false;

  const container = (): Block => frames.at(-1)?.block ?? document;
  const balanced = (text: string): boolean => parseInline(text, { definitions }).balanced;

  const closeLeaf = (): void => {
    if (!leaf) return;
    if (leafKind === "paragraph") takeDefinitions(leaf);
    const last = leaf.children.at(-1);
    if (last) last.open = false;
    leaf.open = false;
    touch(last ?? leaf);
    leaf = prose = code = undefined;
    leafKind = "none";
    blanks = [];
  };

  const takeDefinitions = (paragraph: Block): boolean => {
    const [first] = paragraph.children;
    if (!first || paragraph.children.length > 1 || !maybeDefinition(first.text)) return false;
    first.text = definitions.take(first.text);
    return first.text === "";
  };

  const closeFrames = (kept: number): void => {
    if (kept < frames.length) closeLeaf();
    while (frames.length > kept) frames.pop()!.block.open = false;
  };

  /**
   * Adds a block. Closes the list before it, and makes the surrounding list loose if a blank line precedes the block.
   */
  const place = (parent: Block, depth: number, kind: Block["kind"]): Block => {
    const last = parent.children.at(-1);
    if (last?.kind === "list") last.open = false;
    if (blankFrom !== undefined && depth > blankFrom && parent.kind === "item" && last) loosen(parent.parent!);
    return createBlock(kind, parent);
  };

  const loosen = (list: Block): void => {
    if (list.loose) return;
    list.loose = true;
    touch(list);
  };

  const open = (opening: Opening): void => {
    const parent = container();
    if (opening.kind === "quote") {
      frames.push({ kind: "quote", indent: 0, empty: false, block: place(parent, frames.length, "quote") });
      return;
    }
    let list = parent.children.at(-1);
    if (list?.kind === "list" && list.open && list.mark === opening.mark) {
      if (blankFrom !== undefined && frames.length >= blankFrom) loosen(list);
    } else {
      list = place(parent, frames.length, "list");
      list.mark = opening.mark;
      list.level = opening.start;
    }
    const block = createBlock("item", list);
    frames.push({
      kind: "item",
      indent: opening.indent,
      block,
      get empty() {
        return block.children.length === 0;
      },
    });
  };

  const begin = (kind: Block["kind"], as: Before["leaf"]): Block => {
    closeLeaf();
    leafKind = as;
    return (leaf = place(container(), frames.length, kind));
  };

  const text = (added: string): void => {
    if (leafKind === "table") {
      closeRow();
      createBlock("piece", leaf).text = added;
    } else {
      if (leafKind !== "paragraph") prose = createProse(begin("paragraph", "paragraph"), balanced);
      prose!.append(added);
    }
  };

  const closeRow = (): void => {
    const row = leaf?.children.at(-1);
    if (!row) return;
    row.open = false;
    touch(row);
  };

  const apply = (line: Line): void => {
    const { leaf: next } = line;
    if (next.kind === "text" && leafKind === "paragraph" && line.opened.length === 0) return text(line.text);
    closeFrames(line.matched);
    if (line.opened.length > 0) closeLeaf();
    for (const opening of line.opened) open(opening);
    switch (next.kind) {
      case "blank":
        if (leafKind !== "fence") closeLeaf();
        break;
      case "text":
        text(line.text);
        break;
      case "heading": {
        const heading = begin("heading", "none");
        heading.level = next.level;
        prose = createProse(heading, balanced);
        prose.append(line.text);
        break;
      }
      case "underline":
        if (!takeDefinitions(leaf!)) makeHeading(next.level);
        else if (line.text.startsWith("---")) apply({ ...line, leaf: { kind: "rule" } });
        else prose!.append(line.text);
        break;
      case "rule":
        begin("rule", "none");
        closeLeaf();
        break;
      case "delimiters":
        makeTable(next.align);
        break;
      case "fence":
        code = createCode(begin("code", "fence"));
        leaf!.mark = next.info.split(/\s/, 1)[0]!.slice(0, 40);
        fence = next;
        break;
      case "fence-end":
        closeLeaf();
        break;
      case "indented":
        code = createCode(begin("code", "indented"));
        code.append(line.text);
        break;
      case "code":
        if (leafKind === "indented" && line.text.trim() === "") blanks.push(line.text);
        else {
          for (const blank of blanks.splice(0)) {
            code!.append(blank);
            code!.newLine();
          }
          code!.append(line.text);
        }
        break;
      case "math": {
        const math = begin("math", "math");
        math.text = line.text;
        math.mark = next.mark;
        fence = { mark: next.mark, indent: 0 };
        if (next.closed) closeMath();
        break;
      }
      case "math-line":
        leaf!.text += `${leaf!.text === "" ? "" : "\n"}${line.text}`;
        touch(leaf!);
        if (next.closed) closeMath();
    }
  };

  const makeHeading = (level: number): void => {
    leaf!.kind = "heading";
    leaf!.level = level;
    touch(leaf!);
    leafKind = "none";
    closeLeaf();
  };

  /** A level of 1 marks formulas that were closed. Unclosed ones are shown as their source. */
  const closeMath = (): void => {
    leaf!.level = 1;
    closeLeaf();
  };

  const makeTable = (align: Block["align"]): void => {
    const head = prose!.lastLine()!;
    prose!.dropLastLine();
    const paragraph = leaf!;
    const table = begin("table", "table");
    table.align = align;
    const row = createBlock("piece", table);
    row.text = head;
    row.open = false;
    touch(paragraph);
  };

  const append = (added: string): void => {
    if (added === "" || !leaf) return;
    if (prose) prose.append(added);
    else if (code) code.append(added);
    else if (leafKind === "table") {
      const row = leaf.children.at(-1)!;
      row.text += added;
      touch(row);
    } else leaf.text += added;
  };

  const endLine = (): void => {
    decided = false;
    if (leaf?.kind === "heading") closeLeaf();
    else if (prose) prose.newLine();
    else if (code && blanks.length === 0 && !opensFence) code.newLine();
    opensFence = false;
  };
  let opensFence = false;

  const settle = (line: Line): void => {
    apply(line);
    opensFence = line.leaf.kind === "fence";
    const blank = (line.leaf.kind === "blank" && line.opened.length === 0) || blanks.length > 0;
    blankFrom = blank ? quotesOf(frames) : undefined;
    decided = true;
  };

  const before = (): Before => ({ containers: frames, leaf: leafKind, fence, head: () => prose?.lastLine() });

  const take = (arrived: string): void => {
    let from = 0;
    while (from < arrived.length) {
      const found = arrived.indexOf("\n", from);
      const part = arrived.slice(from, found < 0 ? undefined : found);
      if (decided) append(part);
      else {
        held += part;
        const line = scan(held, before(), found >= 0);
        if (line) {
          held = "";
          settle(line);
        }
      }
      if (found < 0) return;
      endLine();
      from = found + 1;
    }
  };

  return {
    document,
    write(arrived) {
      let normal = carriage ? `\r${arrived}` : arrived;
      carriage = normal.endsWith("\r");
      if (carriage) normal = normal.slice(0, -1);
      take(normal.replaceAll(/\r\n?/g, "\n").replaceAll("\0", "\uFFFD"));
    },
    end() {
      if (carriage || held !== "" || decided) take("\n");
      carriage = false;
      closeLeaf();
      closeFrames(0);
    },
    ...createContents(definitions),
  };
};

/** The number of containers up to and including the innermost quote. */
const quotesOf = (frames: readonly Frame[]): number => frames.findLastIndex(({ kind }) => kind === "quote") + 1;
