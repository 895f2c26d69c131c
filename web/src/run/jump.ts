import { flushSync } from "react-dom";
import type { RunContextValue } from "./run-context.ts";

export interface Jump {
  /** The id of a part, call, agent or ask. */
  readonly node: string;
}

/** Opens what hides a node from the outside in, then brings it into view and focuses it. Returns what gives that up. */
export const jumpTo = ({ node }: Jump, { state, openers }: RunContextValue, home: HTMLElement): (() => void) => {
  // Not before the next frame: whoever asks for it may be rendering.
  const frame = requestAnimationFrame(() => {
    for (const id of pathTo(state.nodes, node)) {
      const open = openers.get(id);
      // What a fold hides can be opened only once it is there.
      if (open) flushSync(open);
    }
    show(home, node);
  });
  return () => cancelAnimationFrame(frame);
};

type Nodes = RunContextValue["state"]["nodes"];

/** The ids of all that may hide a node, the outermost first. A call is preceded by the group that it may be folded into. */
const pathTo = (nodes: Nodes, id: string): string[] => {
  const path: string[] = [];
  for (let at = nodes.get(id); at && !path.includes(at.id);) {
    path.unshift(at.id);
    if (at.kind === "call") path.unshift(`group of ${at.id}`);
    const call = at.kind === "agent" || at.kind === "text" ? at.call : at.kind === "ask" ? at.ask.call : undefined;
    at = nodes.get(call ?? at.agent ?? "");
  }
  return path;
};

const show = (home: HTMLElement, id: string): void => {
  const found = home.querySelector<HTMLElement>(`[data-node="${CSS.escape(id)}"]`);
  if (!found) return;
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  found.scrollIntoView({ block: "center", behavior: calm ? "instant" : "smooth" });
  found.focus({ preventScroll: true });
};
