import { type KeyboardEvent, type ReactNode, type RefObject, useId } from "react";
import { AttachButton } from "./attach-button.tsx";
import { AttachmentList } from "./attachment-list.tsx";
import type { Attachments } from "./use-attachments.ts";
import { IconSend, IconStopSquare } from "../kit/shell-icons.tsx";

export interface ComposerProps {
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly onSend: () => void;
  /** Set while the run can be stopped. */
  readonly onStop: (() => void) | undefined;
  /** A stop was requested and the run has not ended yet. */
  readonly isStopping: boolean;
  /** Whether a message must wait for the current run to end. */
  readonly queues: boolean;
  readonly attachments: Attachments;
  readonly field: RefObject<HTMLTextAreaElement | null>;
  /** Choices for the next run. */
  readonly children?: ReactNode;
}

export const Composer = (props: ComposerProps) => {
  const { text, onText, onSend, onStop, isStopping, queues, attachments, field, children } = props;
  const hint = useId();
  const hasFiles = attachments.list.length > 0;
  const canSend = hasFiles || text.trim() !== "";
  const onKeyDown = (event: KeyboardEvent): void => {
    // While an input method is composing, its keys belong to it.
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Enter" && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      if (canSend) onSend();
    }
  };
  const sendLabel = queues ? "Queue message" : "Send message";
  return (
    <form
      className="@container rounded-2xl border border-line bg-card shadow-sm focus-within:border-accent"
      onSubmit={(event) => {
        event.preventDefault();
        if (canSend) onSend();
      }}
    >
      <AttachmentList attachments={attachments} onRemoved={() => field.current?.focus()} />
      <textarea
        ref={field}
        value={text}
        onChange={({ target }) => onText(target.value)}
        onKeyDown={onKeyDown}
        onPaste={(event) => {
          const files = [...event.clipboardData.files];
          if (files.length === 0) return;
          event.preventDefault();
          attachments.add(files);
        }}
        rows={1}
        aria-label="Message the agent"
        aria-describedby={hint}
        placeholder={queues ? "Queue the next message" : "Message the agent"}
        className="block max-h-[40vh] min-h-12 w-full resize-none rounded-t-2xl bg-transparent px-4 pt-3 pb-1 text-base outline-none [field-sizing:content] placeholder:text-soft"
      />
      <div className="flex items-end gap-1.5 px-2 pb-2">
        <div className="flex min-w-0 grow flex-wrap items-center gap-1.5">
          <AttachButton onFiles={attachments.add} />
          {children}
        </div>
        <span id={hint} className="mr-1 hidden shrink-0 self-center text-xs text-soft @xl:block">
          Enter to send, Shift+Enter for a new line{onStop && ", Esc stops"}
        </span>
        <div className="flex shrink-0 gap-1.5">
          {onStop && (
            <button
              type="button"
              onClick={onStop}
              aria-label={isStopping ? "Stopping the run" : "Stop the run"}
              aria-disabled={isStopping}
              title={isStopping ? "Stopping the run" : "Stop the run (Esc)"}
              className="inline-flex h-9 pointer-coarse:h-10 items-center gap-1.5 rounded-lg border border-line px-2.5 text-sm font-medium hover:bg-tint aria-disabled:text-soft"
            >
              <IconStopSquare className={`size-4 ${isStopping ? "" : "text-bad"}`} />
              {isStopping ? "Stopping…" : "Stop"}
            </button>
          )}
          <button
            type="submit"
            disabled={!canSend}
            aria-label={sendLabel}
            title={`${sendLabel} (Enter)`}
            className="inline-flex size-9 pointer-coarse:size-10 items-center justify-center rounded-lg bg-accent text-on-accent disabled:bg-tint disabled:text-soft"
          >
            <IconSend />
          </button>
        </div>
      </div>
    </form>
  );
};
