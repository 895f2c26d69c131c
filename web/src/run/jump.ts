import { flushSync } from "react-dom";
import { RUN_END } from "runcast/view";
import type { RunContextValue } from "./run-context.ts";

export interface Jump {
  /** The id of a part, call, agent, or ask, or `RUN_END`. */
  readonly node: string;
}

/** Expands everything that hides a node, from the outside in, then scrolls to it and focuses it. Returns a function that cancels this. */
export const jumpTo = ({ node }: Jump, { state, openers }: RunContextValue, home: HTMLElement): (() => void) => {
  let letGo = (): void => {};
  // Wait for the next frame, because the caller may be rendering.
  const frame = requestAnimationFrame(() => {
    for (const [hider, hidden] of pathTo(state.nodes, node)) {
      const open = openers.get(hider);
      // Nested content can only be expanded once it is rendered.
      if (open) flushSync(() => open(hidden));
    }
    letGo = show(home, node);
  });
  return () => {
    cancelAnimationFrame(frame);
    letGo();
  };
};

type Nodes = RunContextValue["state"]["nodes"];

/**
 * Everything that may hide a node, each with the next item on the path, outermost first. An item is preceded by the
 * list that may not have rendered it, and a call by the group it may be collapsed into.
 */
const pathTo = (nodes: Nodes, id: string): (readonly [hider: string, hidden: string])[] => {
  const path: (readonly [string, string])[] = [];
  const seen = new Set<string>();
  for (let at = nodes.get(id); at && !seen.has(at.id);) {
    seen.add(at.id);
    path.unshift([at.id, id]);
    if (at.kind === "call") path.unshift([`group of ${at.id}`, at.id]);
    const call = at.kind === "agent" || at.kind === "text" ? at.call : at.kind === "ask" ? at.ask.call : undefined;
    const owner = call ?? at.agent ?? "";
    path.unshift([itemsOf(owner), at.id]);
    at = nodes.get(owner);
  }
  return path;
};

/** The opener name of the item list of an agent or call. */
export const itemsOf = (owner: string): string => `items of ${owner}`;

/** The selector of what a jump to a node focuses. */
export const placeOf = (id: string): string => (id === RUN_END ? "[data-run-end]" : `[data-node="${CSS.escape(id)}"]`);

const show = (home: HTMLElement, id: string): (() => void) => {
  const found = home.querySelector<HTMLElement>(placeOf(id));
  if (!found) return () => {};
  const reducesMotion = matchMedia("(prefers-reduced-motion: reduce)").matches;
  // A smooth scroll over a long distance would render everything in between, and that would shift the target.
  const isFar = Math.abs(found.getBoundingClientRect().top) > 2 * innerHeight;
  scrollToElement(found, reducesMotion || isFar ? "instant" : "smooth");
  found.focus({ preventScroll: true });
  return isFar ? hold(found, home) : () => {};
};

/** In the middle, or from its beginning if it is too long for that. */
const scrollToElement = (element: HTMLElement, behavior: ScrollBehavior): void =>
  element.scrollIntoView({ block: element.offsetHeight > innerHeight / 2 ? "start" : "center", behavior });

const HANDS = ["wheel", "touchmove", "pointerdown", "keydown"];

/** Keeps an element in place while the content around it gets its real height, until the user takes over. */
const hold = (element: HTMLElement, home: HTMLElement): (() => void) => {
  const observer = new ResizeObserver(() => scrollToElement(element, "instant"));
  const letGo = (): void => {
    observer.disconnect();
    for (const name of HANDS) removeEventListener(name, letGo, { capture: true });
  };
  observer.observe(home);
  for (const name of HANDS) addEventListener(name, letGo, { passive: true, capture: true });
  return letGo;
};
