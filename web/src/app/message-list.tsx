import { type ReactElement, type ReactNode, type RefObject, useEffect, useRef } from "react";
import type { NamedAgent } from "runcast/source";
import type { ShownMessage } from "../conversations/use-conversations.tsx";
import { useCell } from "../kit/cell.ts";
import { WindowingContext, useBoxWindowing, useWindowing } from "../kit/windowing.ts";
import { IconDown } from "../kit/shell-icons.tsx";
import { useStickToEnd } from "../kit/stick-to-end.ts";
import { MessageView, type MessageCommands } from "./message-view.tsx";
import type { ChatJump } from "./use-chat.ts";

export interface MessageListProps {
  readonly messages: readonly ShownMessage[];
  readonly commands: MessageCommands;
  readonly agents: readonly NamedAgent[] | undefined;
  readonly jump: ChatJump | undefined;
  /** How often the user asked for an answer. */
  readonly asked: number;
  readonly scroller: RefObject<HTMLDivElement | null>;
  /** Floats above the end of the list. */
  readonly children: (isAtEnd: boolean) => ReactNode;
  /** What the conversation used. Empty if it is not shown. */
  readonly usage: string;
}

/** This many of the last messages are rendered before the visible area is known. */
const FIRST = 6;

export const MessageList = (props: MessageListProps) => {
  const { messages, commands, agents, jump, asked, scroller, usage, children } = props;
  const content = useRef<HTMLDivElement>(null);
  const { isAtEnd, toEnd } = useStickToEnd(scroller, content);
  const windowing = useWindowing(scroller);
  const staysAtEnd = useCell(isAtEnd);
  // A user who asks wants to see the answer, even if it replaces an earlier one.
  const sent = messages.filter(({ message }) => message.role === "user").length;
  useEffect(() => {
    if (!jump) toEnd();
  }, [sent, asked]);
  useEffect(() => {
    if (jump) isAtEnd.set(false);
  }, [jump, isAtEnd]);
  return (
    <div className="relative min-h-0 grow">
      {/* Relative, so text for screen readers is part of it. Otherwise, a jump to its end would scroll the page. */}
      <div
        ref={scroller}
        className="relative h-full overflow-y-auto"
        role="region"
        aria-label="Conversation"
        tabIndex={0}
      >
        <WindowingContext value={windowing}>
          <div ref={content} className="mx-auto max-w-3xl px-4 py-6">
            {grouped(
              messages.map((shown, index) => (
                <MessageView
                  key={shown.message.id}
                  shown={shown}
                  isDrawn={index >= messages.length - FIRST}
                  isLast={index === messages.length - 1}
                  commands={commands}
                  agents={agents}
                  jump={jump?.message === shown.message.id ? jump : undefined}
                />
              )),
            )}
            {usage && (
              <p className="mt-4 text-xs text-soft tabular-nums" data-conversation-usage>
                Whole conversation: {usage}
              </p>
            )}
          </div>
        </WindowingContext>
      </div>
      <div className="pointer-events-none absolute inset-x-0 bottom-3 z-10 flex flex-wrap justify-center gap-2 px-2 *:pointer-events-auto">
        {children(staysAtEnd)}
        {!staysAtEnd && (
          <button
            type="button"
            onClick={toEnd}
            className="inline-flex items-center gap-1.5 rounded-full border border-line bg-card px-4 py-2 text-sm shadow-lg hover:border-accent"
          >
            <IconDown className="size-4" />
            Go to the end
          </button>
        )}
      </div>
    </div>
  );
};

/** Elements per box, and boxes per box. */
const GROUP = 12;

/**
 * Groups messages into boxes, and boxes into boxes. When a message changes, React and the layout only visit the rest of
 * its box and the other boxes, not every message. Appending a message never moves another to a different box.
 */
const grouped = (messages: readonly ReactElement[]): ReactNode =>
  groups(groups(messages).map((group, index) => <MessageBox key={index}>{group}</MessageBox>)).map((group, index) => (
    <div key={index} className={BOX}>
      {group}
    </div>
  ));

const groups = (elements: readonly ReactElement[]): (readonly ReactElement[])[] =>
  Array.from({ length: Math.ceil(elements.length / GROUP) }, (_, index) =>
    elements.slice(index * GROUP, (index + 1) * GROUP),
  );

const BOX = "not-last:mb-6 space-y-6";

const MessageBox = ({ children }: { readonly children: ReactNode }) => {
  const box = useRef<HTMLDivElement>(null);
  return (
    <WindowingContext value={useBoxWindowing(box)}>
      <div ref={box} className={BOX}>
        {children}
      </div>
    </WindowingContext>
  );
};
