import { flushSync } from "react-dom";
import type { RunContextValue } from "./run-context.ts";

export interface Jump {
  /** The id of a part, call, agent or ask. */
  readonly node: string;
}

/** Opens what hides a node from the outside in, then brings it into view and focuses it. Returns what gives that up. */
export const jumpTo = ({ node }: Jump, { state, openers }: RunContextValue, home: HTMLElement): (() => void) => {
  let letGo = (): void => {};
  // Not before the next frame: whoever asks for it may be rendering.
  const frame = requestAnimationFrame(() => {
    for (const [hider, hidden] of pathTo(state.nodes, node)) {
      const open = openers.get(hider);
      // What a fold hides can be opened only once it is there.
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
 * All that may hide a node, each with what of it is on the way there, the outermost first: an item is preceded by the list
 * that may not have drawn it, and a call by the group that it may be folded into.
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

/** What the list of an agent's or a call's items is called among the openers. */
export const itemsOf = (owner: string): string => `items of ${owner}`;

const show = (home: HTMLElement, id: string): (() => void) => {
  const found = home.querySelector<HTMLElement>(`[data-node="${CSS.escape(id)}"]`);
  if (!found) return () => {};
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  // A long way would be drawn from end to end, and what is drawn moves the place where it was to stop.
  const isFar = Math.abs(found.getBoundingClientRect().top) > 2 * innerHeight;
  found.scrollIntoView({ block: "center", behavior: calm || isFar ? "instant" : "smooth" });
  found.focus({ preventScroll: true });
  return isFar ? hold(found, home) : () => {};
};

const HANDS = ["wheel", "touchmove", "pointerdown", "keydown"];

/** Keeps an element where it is while what lies around it gets its true height, until the reader takes over. */
const hold = (element: HTMLElement, home: HTMLElement): (() => void) => {
  const observer = new ResizeObserver(() => element.scrollIntoView({ block: "center", behavior: "instant" }));
  const letGo = (): void => {
    observer.disconnect();
    for (const name of HANDS) removeEventListener(name, letGo, { capture: true });
  };
  observer.observe(home);
  for (const name of HANDS) addEventListener(name, letGo, { passive: true, capture: true });
  return letGo;
};
