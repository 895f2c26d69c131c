import { type Node as RunNode, ROOT, type RunState, subscribe } from "../state.ts";
import { createCallView } from "./call-view.ts";
import type { Clock } from "./clock.ts";
import { createAgentView, createAskView, createMarkView, createResumeView, createStepView } from "./other-views.ts";
import { createTextView, createThinkingView } from "./part-view.ts";
import type { Scene, View } from "./scene.ts";

export interface RunTreeOptions {
  readonly container: HTMLElement;
  readonly clock: Clock;
  readonly file: Scene["file"];
}

/** Shows what the agents of a run did. Updates once per frame and redraws only what changed. */
export interface RunTree {
  /** Shows this state. For another state of the same run, only the differences are drawn. */
  show(state: RunState): void;
  /** Immediately draws what is scheduled for the next frame. */
  flush(): void;
  close(): void;
}

interface MountedView {
  readonly view: View;
  node: RunNode;
  version: number;
  stop: () => void;
}

export const createRunTree = ({ container, clock, file }: RunTreeOptions): RunTree => {
  const shown = new Map<string, MountedView>();
  const changed = new Set<string>();
  let state: RunState | undefined;
  let frame = 0;
  let stopRoot = (): void => {};

  const draw = (): void => {
    frame = 0;
    const ids = [...changed];
    changed.clear();
    if (state && ids.includes(ROOT)) showItems(state.root.items);
    for (const id of ids) {
      const found = shown.get(id);
      if (found) update(found);
    }
  };
  const mark = (id: string) => (): void => {
    changed.add(id);
    frame ||= requestAnimationFrame(draw);
  };
  const update = (found: MountedView): void => {
    found.version = found.node.version;
    found.view.show(found.node);
  };

  const attach = (node: RunNode, view: View): MountedView => {
    const found: MountedView = { view, node, version: -1, stop: subscribe(state!, node.id, mark(node.id)) };
    shown.set(node.id, found);
    update(found);
    return found;
  };
  const detach = (id: string): void => {
    const found = shown.get(id);
    if (!found) return;
    shown.delete(id);
    found.stop();
    found.view.element.remove();
    if ("items" in found.node) for (const item of found.node.items) detach(item.id);
  };
  /** Binds a view to the same node in another state of the run. */
  const rebind = (found: MountedView, node: RunNode): void => {
    found.stop();
    found.stop = subscribe(state!, node.id, mark(node.id));
    const isSame = found.version === node.version;
    const before = found.node;
    found.node = node;
    // Items are only ever appended, so an earlier state has a prefix of them.
    if ("items" in before && "items" in node) for (const item of before.items.slice(node.items.length)) detach(item.id);
    if (!isSame) return update(found);
    if ("items" in node) for (const item of node.items) rebind(shown.get(item.id)!, item);
  };

  const items: Scene["items"] = (place) => {
    let count = 0;
    let of: RunState | undefined;
    return (list) => {
      // Items are only ever appended, so those already shown for this state can be skipped.
      for (let index = of === state ? count : 0; index < list.length; index++) {
        const item = list[index]!;
        const found = shown.get(item.id);
        if (!found) place.append(attach(item, createView(item)).view.element);
        else if (found.node !== item) rebind(found, item);
      }
      [of, count] = [state, list.length];
    };
  };
  const scene: Scene = { clock, file, items };
  const createView = (node: RunNode): View => {
    switch (node.kind) {
      case "text":
        return createTextView() as View;
      case "thinking":
        return createThinkingView(scene) as View;
      case "call":
        return createCallView(scene) as View;
      case "agent":
        return createAgentView(scene) as View;
      case "ask":
        return createAskView() as View;
      case "step":
        return createStepView() as View;
      case "resume":
        return createResumeView() as View;
      default:
        return createMarkView(scene) as View;
    }
  };
  const showItems = items(container);

  return {
    show: (next) => {
      if (next === state) return;
      const before = state?.root.items ?? [];
      state = next;
      stopRoot();
      stopRoot = subscribe(next, ROOT, mark(ROOT));
      for (const item of before.slice(next.root.items.length)) detach(item.id);
      showItems(next.root.items);
    },
    flush: () => {
      cancelAnimationFrame(frame);
      if (changed.size > 0) draw();
      frame = 0;
    },
    close: () => {
      cancelAnimationFrame(frame);
      frame = 0;
      stopRoot();
      for (const { stop } of shown.values()) stop();
      shown.clear();
      container.replaceChildren();
      state = undefined;
    },
  };
};
