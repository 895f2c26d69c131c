import { memo, useEffect, useMemo, useRef } from "react";
import type { Part } from "runcast/events";
import type { NamedAgent } from "runcast/source";
import { describeRun, mayResume } from "runcast/view";
import { type AssistantMessage, isOnServer } from "../conversations/conversation.ts";
import { CopyAnswer } from "../conversations/copy-answer.tsx";
import { MessageActions } from "../conversations/message-actions.tsx";
import { type ShownMessage, useEntriesOf, useShownRun } from "../conversations/use-conversations.tsx";
import type { RunActions } from "../run/actions.ts";
import type { Jump } from "../run/jump.ts";
import { RunView } from "../run/run-view.tsx";
import { RunTools } from "../share/run-tools.tsx";
import { Button } from "../kit/button.tsx";
import { useInWindow } from "../kit/windowing.ts";
import { ProblemNote } from "../kit/problem-note.tsx";
import { mayHelp } from "./refusal.ts";
import { useHasBegun, useRunEnd } from "./use-run-end.ts";
import { UserMessage } from "./user-message.tsx";

/** Commands for messages. Does not change while a conversation is open. */
export interface MessageCommands {
  readonly choose: (message: string) => void;
  readonly rerun: (message: AssistantMessage) => void;
  readonly edit: (shown: ShownMessage, content: readonly Part[]) => void;
  readonly fork: (shown: ShownMessage) => void;
  readonly actionsOf: (run: string) => RunActions;
}

export interface MessageViewProps {
  readonly shown: ShownMessage;
  /** Whether to render it regardless of its position. */
  readonly isDrawn: boolean;
  readonly isLast: boolean;
  readonly commands: MessageCommands;
  /** The server's agents, once they are known. */
  readonly agents: readonly NamedAgent[] | undefined;
  readonly jump: Jump | undefined;
}

/** Heights before anything is measured: roughly a short answer with a card. */
const GUESS = { user: 76, assistant: 320 };

/** Whether the user is editing it. Rendering it again would lose what they have written. */
const isEdited = (message: HTMLElement): boolean => message.querySelector("textarea") !== null;

/** A message of a conversation. Far from the visible area, only its height is kept. */
export const MessageView = memo(({ shown, isDrawn, isLast, commands, agents, jump }: MessageViewProps) => {
  const element = useRef<HTMLElement>(null);
  const { message } = shown;
  const { isInWindow, height } = useInWindow(element, isDrawn, isEdited);
  const isShown = isInWindow || isDrawn || jump !== undefined;
  useEffect(() => {
    if (jump) element.current?.scrollIntoView({ block: "start" });
  }, [jump]);
  return (
    <article
      ref={element}
      data-message={message.id}
      aria-label={message.role === "user" ? "You" : "Agent"}
      tabIndex={-1}
      className="group/message scroll-mt-4 rounded-lg outline-offset-4"
      style={isShown ? undefined : { height: height ?? GUESS[message.role] }}
    >
      {isShown &&
        (message.role === "user" ? (
          <UserMessage
            shown={shown}
            content={message.content}
            pages={message.pages}
            onChoose={commands.choose}
            onEdit={(content) => commands.edit(shown, content)}
            onFork={() => commands.fork(shown)}
          />
        ) : (
          <AgentMessage {...{ shown, isLast, message, commands, agents, jump }} />
        ))}
    </article>
  );
});

interface AgentMessageProps extends Omit<MessageViewProps, "isDrawn"> {
  readonly message: AssistantMessage;
}

const AgentMessage = ({ shown, isLast, message, commands, agents, jump }: AgentMessageProps) => {
  const run = useShownRun(message.run, isOnServer(message));
  const load = useEntriesOf(message.run);
  const hasBegun = useHasBegun(run?.state);
  const hasEnded = useRunEnd(run?.state) !== "open";
  const isResumable = run !== undefined && hasBegun && mayResume(run.state, agents ?? []);
  const actions = useMemo(() => {
    const { proceed, resume, ...all } = commands.actionsOf(message.run);
    // Only the last answer can be continued.
    return { ...all, ...(isLast && proceed && { proceed }), ...(isLast && isResumable && resume && { resume }) };
  }, [commands, message.run, isLast, isResumable]);
  if (!run?.isLoaded) return null;
  const { connection, state } = run;
  const hasFailed = connection?.status === "failed" && !hasEnded;
  const rerun = () => commands.rerun(message);
  // Then the end of the run has this button.
  const isRetryOffered = hasEnded && describeRun(state).retry === "offered";
  return (
    <div className="flex flex-col gap-2">
      {hasFailed && state.seq === 0 ? null : (
        <RunView state={state} actions={actions} jump={jump?.node ? jump : undefined} liveUntil={run.liveUntil} />
      )}
      {hasFailed && (
        <ProblemNote problem={connection.problem}>
          {mayHelp(connection.problem) ? (
            <Button onClick={rerun}>Try again</Button>
          ) : (
            <p className="text-soft">
              A retry would not help: the same request would be refused again. You can edit your message.
            </p>
          )}
        </ProblemNote>
      )}
      {(hasBegun || hasFailed) && (
        <MessageActions
          shown={shown}
          onChoose={commands.choose}
          isQuiet={!isLast}
          {...(hasEnded && { ...(!isRetryOffered && { onRerun: rerun }), onFork: () => commands.fork(shown) })}
        >
          {hasEnded && <CopyAnswer state={state} />}
          {hasBegun && <RunTools run={message.run} load={load} />}
        </MessageActions>
      )}
    </div>
  );
};
