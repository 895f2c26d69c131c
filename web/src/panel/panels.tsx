import { loadLater } from "../kit/load-later.tsx";
import { IconOutline, IconPanel } from "../kit/shell-icons.tsx";
import type { Panel } from "./panel.ts";

const LOADING = <p className="text-sm text-soft">Loading…</p>;

/** All panels, in the order of their buttons. One is open at a time, because there is room for one. */
export const PANELS: readonly Panel[] = [
  {
    name: "outline",
    label: "Outline",
    key: "o",
    does: "Show or hide the outline",
    Icon: IconOutline,
    isForOneRun: true,
    View: loadLater(async () => (await import("./panels/outline.tsx")).OutlinePanel, LOADING),
  },
  {
    name: "tools",
    label: "Tools",
    key: "]",
    does: "Show or hide tools",
    Icon: IconPanel,
    isForOneRun: false,
    View: loadLater(async () => (await import("./panels/tools.tsx")).ToolsPanel, LOADING),
  },
];
