import type { Entry } from "../../../src/events.ts";
import "../../../src/element.ts";
import { COLORS, type Drawn, type DrawnView, fact, sorted } from "./drawn.ts";

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
      return read(root);
    },
    close: () => view.remove(),
  };
};

/** What is hidden is not shown. */
const text = (home: Element, selector: string): string => {
  const found = home.querySelector<HTMLElement>(selector);
  return !found || found.hidden ? "" : (found.textContent ?? "");
};

const look = (home: HTMLElement, mark: string) => ({
  color: COLORS[home.dataset["tone"] ?? ""],
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
      all(root, ".call", (element) => {
        const { summary, color, spins } = card(element);
        return fact({
          color,
          spins,
          name: text(summary, "b"),
          summary: text(summary, ".brief"),
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
