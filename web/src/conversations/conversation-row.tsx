import { type KeyboardEvent, memo, useState } from "react";
import type { ConversationFact } from "./conversation.ts";
import { saveText } from "./exchange-buttons.tsx";
import { IconFork, IconMore, IconPencil, IconDownload, IconTrash } from "../kit/icons.tsx";
import { Menu } from "../kit/menu.tsx";
import type { Found } from "./store.ts";
import { useConversationsIfAny } from "./use-conversations.tsx";

export interface ConversationRowProps {
  readonly conversation: ConversationFact;
  readonly isCurrent: boolean;
  readonly onOpen: (id: string, message?: string) => void;
  /** Asks to delete it permanently. */
  readonly onErase: (conversation: ConversationFact) => void;
  /** The message in which it was found. */
  readonly message?: string | undefined;
  readonly excerpt?: NonNullable<Found["excerpt"]>;
}

/** The database returns new objects each time. */
const isSame = (one: ConversationRowProps, other: ConversationRowProps): boolean =>
  one.isCurrent === other.isCurrent &&
  one.onOpen === other.onOpen &&
  one.onErase === other.onErase &&
  one.message === other.message &&
  JSON.stringify([one.conversation, one.excerpt]) === JSON.stringify([other.conversation, other.excerpt]);

/** A conversation in the list. F2 or a double click renames it in place. Only rows that changed render again. */
export const ConversationRow = memo((props: ConversationRowProps) => {
  const { conversation, isCurrent, onOpen, onErase, message, excerpt } = props;
  const conversations = useConversationsIfAny();
  const [isRenaming, setRenaming] = useState(false);
  const { id, origin } = conversation;
  const title = conversation.title || "Untitled";
  if (isRenaming)
    return (
      <li>
        <TitleInput
          title={conversation.title}
          onDone={(next) => {
            setRenaming(false);
            if (next !== undefined) void conversations?.rename(id, next);
          }}
        />
      </li>
    );
  return (
    <li
      className={`group flex items-center rounded-lg ${isCurrent ? "bg-card shadow-[inset_0_0_0_1px_var(--line)]" : "hover:bg-card"}`}
    >
      <button
        type="button"
        aria-current={isCurrent ? "page" : undefined}
        onClick={() => onOpen(id, message)}
        onDoubleClick={() => setRenaming(true)}
        onKeyDown={({ key }) => key === "F2" && setRenaming(true)}
        className="min-w-0 flex-1 rounded-lg px-2 py-1.5 text-left"
      >
        <span className="flex items-center gap-1.5">
          {origin && (
            <>
              <IconFork className="size-3.5 text-soft" />
              <span className="sr-only">Forked: </span>
            </>
          )}
          <span className={`truncate ${isCurrent ? "font-medium" : ""}`}>{title}</span>
        </span>
        {excerpt && (
          <span className="line-clamp-2 text-xs break-words text-soft">
            {excerpt[0]}
            <mark className="bg-warm font-medium text-ink">{excerpt[1]}</mark>
            {excerpt[2]}
          </span>
        )}
      </button>
      <Menu
        label={`More actions for ${title}`}
        items={[
          { label: "Rename", icon: <IconPencil />, run: () => setRenaming(true) },
          {
            label: "Export",
            icon: <IconDownload />,
            run: () => void conversations?.export(id).then((text) => saveText(`${title}.json`, text)),
          },
          { label: "Delete", icon: <IconTrash />, run: () => void conversations?.remove(id), isBad: true },
          { label: "Delete everywhere…", icon: <IconTrash />, run: () => onErase(conversation), isBad: true },
        ]}
        className="rounded-md p-1.5 text-soft opacity-0 group-hover:opacity-100 hover:text-ink focus-visible:opacity-100 aria-expanded:opacity-100 pointer-coarse:opacity-100"
      >
        <IconMore />
      </Menu>
    </li>
  );
}, isSame);

/** Enter and blur keep the new title, Escape the old one. */
const TitleInput = ({ title, onDone }: { title: string; onDone: (title: string | undefined) => void }) => {
  const [text, setText] = useState(title);
  const [isDone, setDone] = useState(false);
  const finish = (next: string | undefined): void => {
    if (isDone) return;
    setDone(true);
    onDone(next);
  };
  const press = (event: KeyboardEvent): void => {
    // Enter also ends the composition of a character, which must not end the renaming.
    if (event.key === "Enter" && !event.nativeEvent.isComposing) finish(text);
    if (event.key === "Escape") {
      event.stopPropagation();
      finish(undefined);
    }
  };
  return (
    <input
      // oxlint-disable-next-line jsx-a11y/no-autofocus -- renaming starts with typing
      autoFocus
      aria-label="Title"
      value={text}
      onChange={(event) => setText(event.target.value)}
      onFocus={(event) => event.target.select()}
      onKeyDown={press}
      onBlur={() => finish(text)}
      className="w-full rounded-lg bg-card px-2 py-1.5 shadow-[inset_0_0_0_1px_var(--accent)] outline-none"
    />
  );
};
