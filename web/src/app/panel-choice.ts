import { isWide } from "../kit/drawer.tsx";
import type { Panel } from "../panel/panel.ts";
import type { KeyCommand } from "./keys.ts";

/** The panels that a page offers. At most one of them is open. */
export interface PanelChoice {
  readonly all: readonly Panel[];
  readonly open: Panel | undefined;
  readonly commands: readonly KeyCommand[];
  toggle(name: string): void;
  /** Closes the open panel if it covers the page. */
  uncover(): void;
}

/** `name` is that of the open panel, and `show` opens another, or none. */
export const choosePanel = (
  all: readonly Panel[],
  name: string | undefined,
  show: (name: string | undefined) => void,
): PanelChoice => {
  const toggle = (pressed: string): void => show(pressed === name ? undefined : pressed);
  return {
    all,
    open: all.find((panel) => panel.name === name),
    commands: all.map((panel) => ({ key: panel.key, does: panel.does, run: () => toggle(panel.name) })),
    toggle,
    uncover: () => {
      if (!isWide()) show(undefined);
    },
  };
};
