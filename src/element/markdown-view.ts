import { beginsTask, type Block, createReader, grownText, taskOf, visibleText, withoutBox } from "../markdown.ts";
import type { Inline } from "../markdown.ts";
import { inlineNodes } from "./inline-nodes.ts";
import { make } from "./make.ts";

/** Draws Markdown as it grows. Redraws only what changed, so a token costs the same however long the text is. */
export interface MarkdownView {
  readonly element: HTMLElement;
  /** Shows the whole text so far. `done` means that it is complete. A text that does not extend the previous one is drawn from scratch. */
  show(text: string, done: boolean): void;
}

interface Drawn {
  readonly kind: Block["kind"];
  readonly element: HTMLElement;
  /** The container of its children. */
  readonly inside: (child: Block) => HTMLElement;
  /** The inlines of a piece of prose as last drawn. */
  inlines?: readonly Inline[];
}

export const createMarkdownView = (): MarkdownView => {
  const element = make("div", "text");
  let reader = createReader();
  let blocks = new WeakMap<Block, Drawn>();

  const drawnOf = (block: Block): Drawn => {
    const known = blocks.get(block);
    if (known?.kind === block.kind) return known;
    const drawn = block.kind === "document" ? { kind: block.kind, element, inside: () => element } : makeBlock(block);
    if (known) {
      // A paragraph that becomes a heading keeps its text.
      drawn.element.append(...known.element.childNodes);
      known.element.replaceWith(drawn.element);
    } else if (block.parent) drawnOf(block.parent).inside(block).append(drawn.element);
    blocks.set(block, drawn);
    return drawn;
  };

  const draw = (block: Block): void => {
    const drawn = drawnOf(block);
    if (block.kind === "piece") drawPiece(block, drawn);
    else if (block.kind === "list") drawn.element.className = block.loose ? "loose" : "tight";
    else if (block.kind === "math") drawn.element.textContent = visibleText(block.text.trim());
  };

  const drawPiece = (piece: Block, drawn: Drawn): void => {
    const { parent } = piece;
    if (parent!.kind === "code") return setData(drawn.element, visibleText(piece.text));
    if (parent!.kind === "table") return drawn.element.replaceChildren(...cellsOf(piece));
    drawProse(piece, drawn);
    drawnOf(parent!).element.hidden = parent!.children.length === 1 && piece.text === "";
    const item = parent!.parent!;
    if (item.kind === "item" && piece.index === 0 && parent!.index === 0) drawBox(item, drawnOf(item).element);
  };

  const drawProse = (piece: Block, drawn: Drawn): void => {
    const all = reader.parser.inlines(piece);
    const inlines = beginsTask(piece) ? withoutBox(all) : all;
    const text = drawn.inlines && grownText(drawn.inlines, inlines);
    const last = drawn.element.lastChild;
    if (text !== undefined && last instanceof Text) last.data = text;
    else drawn.element.replaceChildren(...inlineNodes(inlines));
    drawn.inlines = inlines;
  };

  const cellsOf = (row: Block): HTMLElement[] => {
    const cells = reader.parser.cells(row);
    return row.parent!.align.map((align, column) => {
      const cell = make(row.index === 0 ? "th" : "td", align ?? "", ...inlineNodes(cells[column] ?? []));
      cell.dir = "auto";
      return cell;
    });
  };

  return {
    element,
    show: (text, done) => {
      if (!reader.continues(text, done)) {
        element.replaceChildren();
        reader = createReader();
        blocks = new WeakMap();
      }
      for (const block of reader.read(text, done)) draw(block);
    },
  };
};

const makeBlock = (block: Block): Drawn => {
  const { kind } = block;
  const within = (element: HTMLElement, inside = element): Drawn => ({ kind, element, inside: () => inside });
  switch (kind) {
    case "quote":
      return within(make("blockquote"));
    case "list": {
      if (block.mark.length === 1) return within(make("ul"));
      const list = make("ol");
      list.start = block.level;
      return within(list);
    }
    case "item":
      return within(make("li"));
    case "rule":
      return within(make("hr"));
    case "code": {
      const lines = make("code");
      const code = make("pre", "code", lines);
      // Makes it scrollable with the keyboard.
      code.tabIndex = 0;
      return within(code, lines);
    }
    case "table": {
      const [head, body] = [make("thead"), make("tbody")];
      const table = make("div", "scroll", make("table", "", head, body));
      table.tabIndex = 0;
      return { kind, element: table, inside: ({ index }) => (index === 0 ? head : body) };
    }
    case "math":
      return within(make("pre", "math"));
    case "piece":
      return within(make(block.parent!.kind === "table" ? "tr" : "span"));
    default: {
      const element = make(kind === "heading" ? (`h${Math.min(6, block.level)}` as "h1") : "p");
      element.dir = "auto";
      return within(element);
    }
  }
};

/** The checkbox of a task, before the item's content. */
const drawBox = (item: Block, element: HTMLElement): void => {
  const task = taskOf(item);
  const known = element.querySelector<HTMLInputElement>(":scope > input");
  element.className = task === undefined ? "" : "task";
  if (task === undefined) return known?.remove();
  const box = known ?? make("input");
  box.type = "checkbox";
  box.disabled = true;
  box.checked = task === "done";
  box.setAttribute("aria-label", task);
  if (!known) element.prepend(box);
};

const setData = (element: HTMLElement, text: string): void => {
  const { firstChild } = element;
  if (firstChild instanceof Text) firstChild.data = text;
  else element.append(text);
};
