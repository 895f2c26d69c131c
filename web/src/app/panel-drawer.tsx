import { useCallback } from "react";
import type { RunState } from "runcast/state";
import type { ShownMessage } from "../conversations/use-conversations.tsx";
import { loadLater } from "../kit/load-later.tsx";
import { LiveUntil } from "../run/run-context.ts";
import type { ChatJump } from "./use-chat.ts";
import { useRunStates } from "./use-run-states.ts";

const LOADING = <p className="text-sm text-soft">Loading…</p>;
const ToolsPanel = loadLater(async () => (await import("../panel/tools-panel.tsx")).ToolsPanel, LOADING);
const OutlinePanel = loadLater(async () => (await import("../panel/outline-panel.tsx")).OutlinePanel, LOADING);

export interface PanelDrawerProps {
  readonly panel: "calls" | "outline";
  readonly messages: readonly ShownMessage[];
  readonly onJump: (jump: ChatJump) => void;
}

/** The calls or the outline of all runs of the conversation. The runs are loaded when the drawer is opened. */
export const PanelDrawer = ({ panel, messages, onJump }: PanelDrawerProps) => {
  const { states, liveUntil } = useRunStates(messages);
  const jump = useCallback(
    ({ run }: RunState, node: string) => {
      const found = messages.find(({ message }) => message.role === "assistant" && message.run === run);
      if (found) onJump({ node, message: found.message.id });
    },
    [messages, onJump],
  );
  const Panel = panel === "calls" ? ToolsPanel : OutlinePanel;
  return (
    <div className="h-full p-3">
      <LiveUntil value={liveUntil}>
        <Panel runs={states} onJump={jump} />
      </LiveUntil>
    </div>
  );
};
