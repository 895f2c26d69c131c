import type { ComponentType, ReactNode } from "react";
import { Drawer } from "../kit/drawer.tsx";
import type { PanelProps } from "../panel/panel.ts";
import type { PanelChoice } from "./panel-choice.ts";

interface PanelDrawerProps {
  readonly panels: PanelChoice;
  /** Draws the content with the panel's view. Called only while a panel is open. */
  readonly children: (View: ComponentType<PanelProps>) => ReactNode;
}

/** The column of the open panel. */
export const PanelDrawer = ({ panels: { open, toggle }, children }: PanelDrawerProps) =>
  open && (
    <Drawer key={open.name} side="right" label={open.label} isOpen onClose={() => toggle(open.name)}>
      <div className="h-full p-3">{children(open.View)}</div>
    </Drawer>
  );
