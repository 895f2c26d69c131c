import type { Entry } from "../../../src/events.ts";
import "../../../src/element.ts";
import { sheet } from "../../../src/element/sheet.ts";
import { type Drawn, type DrawnView, fact, sorted } from "./drawn.ts";
import { paintOf } from "./paint.ts";

/** `<run-view controls>` on a page, moved by its slider. */
export const openElement = async (entries: readonly Entry[]): Promise<DrawnView> => {
  const view = document.createElement("run-view");
  view.setAttribute("controls", "");
  view.entries = entries;
  document.body.append(view);
  await Promise.resolve();
  const root = view.shadowRoot!;
  const slider = root.querySelector<HTMLInputElement>("input.slider")!;
  return {
    at: async (seq) => {
      slider.value = `${seq}`;
      slider.dispatchEvent(new Event("input"));
      return { facts: read(root), text: textIn(root) };
    },
    close: () => view.remove(),
  };
};

/** All visible text, without that of hidden elements. */
const textIn = (root: Node): string =>
  [...root.childNodes]
    .map((node) =>
      node instanceof HTMLElement
        ? node.hidden || node.localName === "style"
          ? ""
          : textIn(node)
        : (node.nodeValue ?? ""),
    )
    .join(" ");

/** Empty for hidden elements. */
const text = (home: Element, selector: string): string => {
  const found = home.querySelector<HTMLElement>(selector);
  return !found || found.hidden ? "" : (found.textContent ?? "");
};

/** The rules of the style sheet that color a mark, in ascending precedence. */
const rules = [...sheet.matchAll(/^([^{}@]*\.mark[^{}]*)\{[^{}]*\bcolor: var\((--[\w-]+)\)/gm)].map(
  ([, selector, variable]) => ({ selector: selector!.trim(), variable: variable! }),
);

/** The color that the user sees, regardless of the badge's text. */
const paint = (mark: Element): string => {
  const rule = rules.findLast(({ selector }) => mark.matches(selector));
  return rule ? paintOf(sheet, rule.variable) : "none";
};

const look = (home: HTMLElement, mark: string) => ({
  color: paint(home.querySelector(mark)!),
  spins: home.querySelector(`${mark} .icon-executing`) !== null,
});

const all = <Found>(root: ParentNode, selector: string, of: (element: HTMLElement) => Found): Found[] =>
  [...root.querySelectorAll<HTMLElement>(selector)].map(of);

const read = (root: ParentNode): Drawn => {
  const end = root.querySelector<HTMLElement>("footer .end")!;
  const card = (element: HTMLElement) => {
    const summary = element.querySelector<HTMLElement>(":scope > summary")!;
    return { summary, ...look(element, ":scope > summary > .mark") };
  };
  return {
    calls: sorted(
      all(root, ".call:not(.bare)", (element) => {
        const { summary, color, spins } = card(element);
        return fact({
          color,
          spins,
          name: text(summary, "b"),
          summary: text(summary, ".brief"),
          edits: text(summary, ".edits"),
          repeat: text(summary, ".repeat"),
          exit: text(summary, ".exit"),
          word: text(summary, ".word"),
          time: text(summary, ".time"),
        });
      }),
    ),
    agents: sorted(
      all(root, ".agent", (element) => {
        const { summary, color, spins } = card(element);
        return fact({
          color,
          spins,
          name: text(summary, "b"),
          word: text(summary, ".word"),
          time: text(summary, ".time"),
        });
      }),
    ),
    asks: sorted(all(root, ".ask", (ask) => fact({ title: text(ask, ".title"), outcome: text(ask, ".reply") }))),
    retries: sorted(all(root, ".step > p, .resume", (retry) => retry.textContent ?? "")),
    thoughts: sorted(
      all(root, ".thinking > summary", (summary) =>
        fact({ title: text(summary, "span"), time: text(summary, ".time") }),
      ),
    ),
    run: fact({
      ...look(end, ":scope > .mark"),
      title: text(end, ".title"),
      time: text(end, ".time"),
      advice: text(root.querySelector("footer")!, ".advice"),
    }),
  };
};
