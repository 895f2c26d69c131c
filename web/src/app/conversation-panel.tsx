import { type ComponentType, useCallback } from "react";
import type { RunState } from "runcast/state";
import type { ShownMessage } from "../conversations/use-conversations.tsx";
import type { PanelProps } from "../panel/panel.ts";
import { LiveUntil } from "../run/run-context.ts";
import type { ChatJump } from "./use-chat.ts";
import { useRunStates } from "./use-run-states.ts";

interface ConversationPanelProps {
  readonly View: ComponentType<PanelProps>;
  readonly messages: readonly ShownMessage[];
  readonly onJump: (jump: ChatJump) => void;
}

/** A panel about all runs of a conversation, which are loaded when it is shown. */
export const ConversationPanel = ({ View, messages, onJump }: ConversationPanelProps) => {
  const { states, liveUntil } = useRunStates(messages);
  const jump = useCallback(
    ({ run }: RunState, node: string) => {
      const found = messages.find(({ message }) => message.role === "assistant" && message.run === run);
      if (found) onJump({ node, message: found.message.id });
    },
    [messages, onJump],
  );
  return (
    <LiveUntil value={liveUntil}>
      <View runs={states} onJump={jump} />
    </LiveUntil>
  );
};
