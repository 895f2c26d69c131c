import type { ComponentType } from "react";
import type { RunState } from "runcast/state";
import type { IconProps } from "../kit/icon.tsx";

export interface PanelProps {
  /** The runs in order. The same array while its content is unchanged. */
  readonly runs: readonly RunState[];
  /** Goes to a node of a run, or to the run if `node` is empty. */
  readonly onJump: (run: RunState, node: string) => void;
}

/** A column on the right, about the runs that the page shows. */
export interface Panel {
  /** Stored in the settings while the panel is open. */
  readonly name: string;
  /** The label of its button and of the column. */
  readonly label: string;
  /** The key that shows and hides it. */
  readonly key: string;
  /** What the key does, for the list of keys. */
  readonly does: string;
  readonly Icon: ComponentType<IconProps>;
  /** Whether it is also useful for a single run. */
  readonly isForOneRun: boolean;
  readonly View: ComponentType<PanelProps>;
}
