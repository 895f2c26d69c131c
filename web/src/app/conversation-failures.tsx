import type { RunState } from "runcast/state";
import type { ShownMessage } from "../conversations/use-conversations.tsx";
import { NextFailure, type NextFailureProps } from "./next-failure.tsx";
import type { ChatJump } from "./use-chat.ts";
import { useRunStates } from "./use-run-states.ts";

interface ConversationFailuresProps extends Pick<NextFailureProps, "wanted" | "scroller" | "onFind"> {
  readonly messages: readonly ShownMessage[];
  readonly onJump: (jump: ChatJump) => void;
}

/** Goes to the failures in a conversation. Loads all of its runs when the user first asks. */
export const ConversationFailures = ({ messages, onJump, ...asked }: ConversationFailuresProps) => {
  const { wanted, scroller } = asked;
  const { states, areComplete } = useRunStates(messages, wanted > 0);
  const answerOf = ({ run }: RunState) =>
    messages.find(({ message }) => message.role === "assistant" && message.run === run)?.message.id;
  const homeOf = (state: RunState) => {
    const message = answerOf(state);
    if (message === undefined) return null;
    return scroller.current?.querySelector<HTMLElement>(`[data-message="${CSS.escape(message)}"]`) ?? null;
  };
  return (
    <NextFailure
      {...asked}
      runs={states}
      isReady={areComplete}
      homeOf={homeOf}
      onJump={(state, node) => {
        const message = answerOf(state);
        if (message === undefined) return;
        onJump({ node, message });
        if (node === "") homeOf(state)?.focus({ preventScroll: true });
      }}
    />
  );
};
