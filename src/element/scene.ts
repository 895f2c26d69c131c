import type { Node as RunNode } from "../state.ts";
import type { Clock } from "./clock.ts";

/** What shows one node. */
export interface View<Shown extends RunNode = RunNode> {
  readonly element: HTMLElement;
  /** Draws what differs from what was shown before. The node may be another one with the same id, from another state of the run. */
  show(node: Shown): void;
}

/** What the views of a run share. */
export interface Scene {
  readonly clock: Clock;
  /** Where the bytes beside the log can be had; undefined if they cannot. */
  file(file: string): string | undefined;
  /** Shows the things that belong to a node, in the order they came, and keeps them up to date. */
  items(container: HTMLElement): (items: readonly RunNode[]) => void;
}
