import { memo, useCallback, useRef } from "react";
import type { AssistantMessage } from "../conversations/conversation.ts";
import { MessageActions } from "../conversations/message-actions.tsx";
import {
  type OpenConversation,
  type ShownMessage,
  useEntriesOf,
  useShownRun,
} from "../conversations/use-conversations.tsx";
import type { Jump } from "../run/jump.ts";
import { Answer, useRunActions } from "./answer.tsx";
import { RunTools } from "../share/run-tools.tsx";
import { useNear } from "./near.ts";
import { ProblemNote } from "./problem-note.tsx";
import { Button } from "./button.tsx";
import { UserMessage } from "./user-message.tsx";

export interface TurnActions extends Pick<OpenConversation, "choose" | "rerun"> {
  readonly edit: (message: ShownMessage, text: string) => void;
  readonly fork: (message: ShownMessage) => void;
}

export interface TurnProps {
  readonly shown: ShownMessage;
  readonly isLast: boolean;
  readonly actions: TurnActions;
  readonly jump: Jump | undefined;
}

/** Where nothing was measured yet: about what a short answer with a card takes. */
const GUESS = { user: 76, assistant: 320 };

/** One message of a conversation. Far from what is seen, only its height is there. */
export const Turn = memo(({ shown, isLast, actions, jump }: TurnProps) => {
  const element = useRef<HTMLElement>(null);
  const { message } = shown;
  const { isNear, height } = useNear(element, isLast);
  const isShown = isNear || isLast || jump !== undefined;
  return (
    <article
      ref={element}
      data-message={message.id}
      aria-label={message.role === "user" ? "You" : "Agent"}
      tabIndex={-1}
      className="rounded-lg outline-offset-4"
      style={isShown ? undefined : { height: height ?? GUESS[message.role] }}
    >
      {isShown &&
        (message.role === "user" ? (
          <UserMessage
            shown={shown}
            content={message.content}
            onChoose={actions.choose}
            onEdit={(text) => actions.edit(shown, text)}
            onFork={() => actions.fork(shown)}
          />
        ) : (
          <AgentMessage shown={shown} message={message} actions={actions} jump={jump} />
        ))}
    </article>
  );
});

const AgentMessage = ({
  shown,
  message,
  actions,
  jump,
}: Omit<TurnProps, "isLast"> & { readonly message: AssistantMessage }) => {
  const run = useShownRun(message.run);
  const load = useEntriesOf(message.run);
  const latest = useRef(message);
  latest.current = message;
  const retry = useCallback(() => void actions.rerun(latest.current), [actions]);
  const runActions = useRunActions(message.run, retry);
  if (!run) return null;
  const { connection, state } = run;
  const hasEnded = state.outcome !== undefined;
  return (
    <div className="flex flex-col gap-2">
      <Answer state={state} actions={runActions} jump={jump} connection={connection} />
      {connection?.status === "failed" && (
        <ProblemNote problem={connection.problem}>
          <Button onClick={retry}>Ask again</Button>
        </ProblemNote>
      )}
      {state.seq > 0 && (
        <MessageActions
          shown={shown}
          onChoose={actions.choose}
          {...(hasEnded && { onRerun: retry, onFork: () => actions.fork(shown) })}
        >
          <RunTools run={message.run} load={load} />
        </MessageActions>
      )}
    </div>
  );
};
