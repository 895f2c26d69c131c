import { type KeyboardEvent, useState } from "react";
import type { Part } from "runcast/events";
import { hasResults } from "../conversations/conversation.ts";
import { MessageActions } from "../conversations/message-actions.tsx";
import type { ShownMessage } from "../conversations/use-conversations.tsx";
import { BrowserResults } from "../embeds/browser-results.tsx";
import { Button } from "../kit/button.tsx";
import { useReadPart } from "./use-read-part.ts";
import { MessageBubble, textOf } from "../run/message-bubble.tsx";

export interface UserMessageProps {
  readonly shown: ShownMessage;
  readonly content: readonly Part[];
  readonly pages?: Readonly<Record<string, string>> | undefined;
  readonly onChoose: (message: string) => void;
  readonly onEdit: (text: string) => void;
  readonly onFork: () => void;
}

export const UserMessage = ({ shown, content, pages, onChoose, onEdit, onFork }: UserMessageProps) => {
  const [draft, setDraft] = useState<string>();
  const text = textOf(content);
  const read = useReadPart();
  if (hasResults(content)) return <BrowserResults content={content} pages={pages} />;
  if (draft !== undefined)
    return (
      <EditForm
        text={draft}
        onText={setDraft}
        onCancel={() => setDraft(undefined)}
        onSend={() => {
          setDraft(undefined);
          onEdit(draft.trim());
        }}
      />
    );
  return (
    <div className="flex flex-col items-end gap-0.5">
      <MessageBubble content={content} read={read} />
      <MessageActions shown={shown} onChoose={onChoose} isQuiet onEdit={() => setDraft(text)} onFork={onFork} />
    </div>
  );
};

interface EditFormProps {
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly onCancel: () => void;
  readonly onSend: () => void;
}

const EditForm = ({ text, onText, onCancel, onSend }: EditFormProps) => {
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Escape") {
      // Escape must not stop the run as well.
      event.preventDefault();
      event.stopPropagation();
      onCancel();
    }
    if (event.key === "Enter" && !event.shiftKey && text.trim()) {
      event.preventDefault();
      onSend();
    }
  };
  return (
    <form
      className="rounded-2xl border border-accent bg-card p-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim()) onSend();
      }}
    >
      <textarea
        autoFocus
        aria-label="Edit the message"
        value={text}
        onChange={({ target }) => onText(target.value)}
        onKeyDown={onKeyDown}
        className="block max-h-[40vh] w-full resize-none bg-transparent px-2 py-1 outline-none [field-sizing:content]"
      />
      <div className="flex items-center justify-end gap-2">
        <span className="mr-auto px-2 text-xs text-soft">The original message stays as another version.</span>
        <Button kind="quiet" onClick={onCancel}>
          Cancel
        </Button>
        <Button kind="main" type="submit" disabled={!text.trim()}>
          Send
        </Button>
      </div>
    </form>
  );
};
