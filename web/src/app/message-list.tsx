import { type ReactElement, type ReactNode, type RefObject, useEffect, useRef } from "react";
import type { ShownMessage } from "../conversations/use-conversations.tsx";
import { useCell } from "../kit/cell.ts";
import { WindowingContext, useWindowing } from "../kit/windowing.ts";
import { IconDown } from "../kit/shell-icons.tsx";
import { useStickToEnd } from "../kit/stick-to-end.ts";
import { MessageView, type MessageCommands } from "./message-view.tsx";
import type { ChatJump } from "./use-chat.ts";

export interface MessageListProps {
  readonly messages: readonly ShownMessage[];
  readonly commands: MessageCommands;
  readonly jump: ChatJump | undefined;
  readonly scroller: RefObject<HTMLDivElement | null>;
}

/** So many of the last messages are drawn before it is known what is in the window. */
const FIRST = 6;

export const MessageList = ({ messages, commands, jump, scroller }: MessageListProps) => {
  const content = useRef<HTMLDivElement>(null);
  const { isAtEnd, toEnd } = useStickToEnd(scroller, content);
  const windowing = useWindowing(scroller);
  // Who sends a message wants to see what becomes of it.
  const sent = messages.filter(({ message }) => message.role === "user").length;
  useEffect(() => {
    if (!jump) toEnd();
  }, [sent]);
  useEffect(() => {
    if (jump) isAtEnd.set(false);
  }, [jump, isAtEnd]);
  return (
    <div className="relative min-h-0 grow">
      <div ref={scroller} className="h-full overflow-y-auto" role="region" aria-label="Conversation" tabIndex={0}>
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
                  jump={jump?.message === shown.message.id ? jump : undefined}
                />
              )),
            )}
          </div>
        </WindowingContext>
      </div>
      {!useCell(isAtEnd) && (
        <button
          type="button"
          onClick={toEnd}
          className="absolute bottom-3 left-1/2 inline-flex -translate-x-1/2 items-center gap-1.5 rounded-full border border-line bg-card px-3.5 py-2 text-sm shadow-md hover:border-accent"
        >
          <IconDown className="size-4" />
          To the end
        </button>
      )}
    </div>
  );
};

/** Elements in a box side by side, and boxes in a box. */
const GROUP = 12;

/**
 * Boxes of a few messages, in boxes of a few boxes: whatever changes in one message, React and the layout look at the others of its
 * box and at the other boxes, not at every message there is. A message never moves to another box when one is added.
 */
const grouped = (messages: readonly ReactElement[]): ReactNode => boxes(boxes(messages));

const boxes = (elements: readonly ReactElement[]): ReactElement[] =>
  Array.from({ length: Math.ceil(elements.length / GROUP) }, (_, index) => (
    <div key={index} className="not-last:mb-6 space-y-6">
      {elements.slice(index * GROUP, (index + 1) * GROUP)}
    </div>
  ));
