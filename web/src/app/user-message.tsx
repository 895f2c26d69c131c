import { type KeyboardEvent, useRef, useState } from "react";
import type { Part } from "runcast/events";
import { hasResults } from "../conversations/conversation.ts";
import { MessageActions } from "../conversations/message-actions.tsx";
import type { ShownMessage } from "../conversations/use-conversations.tsx";
import { BrowserResults } from "../embeds/browser-results.tsx";
import { Button } from "../kit/button.tsx";
import { AttachmentList } from "./attachment-list.tsx";
import { type Attachment, attachmentOf } from "./use-attachments.ts";
import { useReadPart } from "./use-read-part.ts";
import { MessageBubble, textOf } from "../run/message-bubble.tsx";

export interface UserMessageProps {
  readonly shown: ShownMessage;
  readonly content: readonly Part[];
  readonly pages?: Readonly<Record<string, string>> | undefined;
  readonly onChoose: (message: string) => void;
  readonly onEdit: (content: readonly Part[]) => void;
  readonly onFork: () => void;
}

export const UserMessage = ({ shown, content, pages, onChoose, onEdit, onFork }: UserMessageProps) => {
  const [draft, setDraft] = useState<Draft>();
  const read = useReadPart();
  if (hasResults(content)) return <BrowserResults content={content} pages={pages} />;
  if (draft !== undefined)
    return (
      <EditForm
        draft={draft}
        onDraft={setDraft}
        onCancel={() => setDraft(undefined)}
        onSend={() => {
          setDraft(undefined);
          const files = draft.files.flatMap(({ part }) => (part ? [part] : []));
          onEdit([...files, { type: "text", text: draft.text.trim() }]);
        }}
      />
    );
  return (
    <div className="flex flex-col items-end gap-0.5">
      <MessageBubble content={content} read={read} />
      <MessageActions
        shown={shown}
        onChoose={onChoose}
        isQuiet
        onEdit={() => setDraft(draftOf(content))}
        onFork={onFork}
      />
    </div>
  );
};

interface Draft {
  readonly text: string;
  readonly files: readonly Attachment[];
}

const draftOf = (content: readonly Part[]): Draft => ({
  text: textOf(content),
  files: content.filter((part) => part.type === "file").map(attachmentOf),
});

interface EditFormProps {
  readonly draft: Draft;
  readonly onDraft: (draft: Draft) => void;
  readonly onCancel: () => void;
  readonly onSend: () => void;
}

const EditForm = ({ draft, onDraft, onCancel, onSend }: EditFormProps) => {
  const field = useRef<HTMLTextAreaElement>(null);
  const { text, files } = draft;
  const remove = (wanted: string): void => onDraft({ text, files: files.filter(({ id }) => id !== wanted) });
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
      <AttachmentList attachments={{ list: files, problems: [], remove }} onRemoved={() => field.current?.focus()} />
      <textarea
        ref={field}
        autoFocus
        aria-label="Edit the message"
        value={text}
        onChange={({ target }) => onDraft({ text: target.value, files })}
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
