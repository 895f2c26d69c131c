import { useCallback, useEffect, useMemo, useState } from "react";
import type { RunState } from "runcast/state";
import type { ShownMessage } from "../conversations/use-conversations.tsx";
import { useConversations } from "../conversations/use-conversations.tsx";
import { loadLater } from "../kit/load-later.tsx";
import { LiveUntil } from "../run/run-context.ts";
import type { ChatJump } from "./use-chat.ts";

const ToolsPanel = loadLater(
  async () => (await import("../panel/tools-panel.tsx")).ToolsPanel,
  <p className="text-sm text-soft">Loading…</p>,
);

export interface ToolsDrawerProps {
  readonly messages: readonly ShownMessage[];
  readonly onJump: (jump: ChatJump) => void;
}

/** The calls of all runs of the conversation. The runs are loaded when the drawer is opened. */
export const ToolsDrawer = ({ messages, onJump }: ToolsDrawerProps) => {
  const ids = messages.flatMap(({ message }) => (message.role === "assistant" ? [message.run] : []));
  const { states, liveUntil } = useStates(ids);
  const jump = useCallback(
    ({ run }: RunState, node: string) => {
      const found = messages.find(({ message }) => message.role === "assistant" && message.run === run);
      if (found) onJump({ node, message: found.message.id });
    },
    [messages, onJump],
  );
  return (
    <div className="h-full p-3">
      <LiveUntil value={liveUntil}>
        <ToolsPanel runs={states} onJump={jump} />
      </LiveUntil>
    </div>
  );
};

/** Keeps the same array while its content is unchanged. `liveUntil` is that of the last run, the only one that can be active. */
const useStates = (ids: readonly string[]): { readonly states: readonly RunState[]; readonly liveUntil: number } => {
  const { runs } = useConversations();
  const key = ids.join(" ");
  const [loaded, setLoaded] = useState(0);
  useEffect(() => {
    const update = () => setLoaded((before) => before + 1);
    const stops = key.split(" ").flatMap((run) => (run ? [runs.subscribe(run, update), runs.open(run)] : []));
    update();
    return () => {
      for (const stop of stops) stop();
    };
  }, [runs, key]);
  const liveUntil = runs.get(ids.at(-1) ?? "")?.liveUntil ?? 0;
  const states = useMemo(() => {
    const shown = key.split(" ").map((run) => (run ? runs.get(run) : undefined));
    return shown.flatMap((run) => (run?.isLoaded ? [run.state] : []));
  }, [runs, key, loaded]);
  return { states, liveUntil };
};
