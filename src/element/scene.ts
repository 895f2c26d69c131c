import type { Node as RunNode } from "../state.ts";
import type { Clock } from "./clock.ts";

/** Displays one node. */
export interface View<Shown extends RunNode = RunNode> {
  readonly element: HTMLElement;
  /** Draws what changed. The node may be another object with the same id, from another state of the run. */
  show(node: Shown): void;
}

/** Shared by all views of a run. */
export interface Scene {
  readonly clock: Clock;
  /** The URL of a file stored with the log, or undefined if it is not available. */
  file(file: string): string | undefined;
  /** Shows a node's items in order and keeps them up to date. */
  items(container: HTMLElement): (items: readonly RunNode[]) => void;
}
