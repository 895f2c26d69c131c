import { useEffect, useState } from "react";
import { counted } from "runcast/view";
import type { ConversationFact } from "./conversation.ts";
import { ConversationRow } from "./conversation-row.tsx";
import { ExchangeButtons } from "./exchange-buttons.tsx";
import { IconNew, IconSearch } from "../kit/icons.tsx";
import { StorageNotice } from "./storage-notice.tsx";
import type { Found } from "./store.ts";
import { UndoBar } from "./undo-bar.tsx";
import { useConversations } from "./use-conversations.tsx";

export interface SidebarProps {
  /** The conversation that is shown. */
  readonly current: string | undefined;
  /** `message` is set if it was found by its text. */
  readonly onOpen: (id: string, message?: string) => void;
  readonly onNew: () => void;
  /** Asks to delete a conversation permanently. */
  readonly onErase: (conversation: ConversationFact) => void;
}

/** All conversations of this browser and of the signed-in user: search, open, rename, delete, export, and import. */
export const Sidebar = ({ current, onOpen, onNew, onErase }: SidebarProps) => {
  const { list, isLoaded, history } = useConversations();
  const [text, setText] = useState("");
  const found = useFound(text);
  return (
    <nav aria-label="Conversations" className="flex h-full min-h-0 flex-col gap-2 p-2 text-sm">
      <button
        type="button"
        onClick={onNew}
        className="flex items-center gap-2 rounded-lg border border-line bg-card px-3 py-2 font-medium hover:border-accent"
      >
        <IconNew /> New conversation
      </button>
      <label className="flex items-center gap-2 rounded-lg border border-line bg-card px-3 py-1.5 text-soft focus-within:border-accent">
        <IconSearch />
        <input
          type="search"
          value={text}
          onChange={(event) => setText(event.target.value)}
          placeholder="Search conversations"
          aria-label="Search conversations"
          className="w-full min-w-0 bg-transparent text-ink outline-none placeholder:text-soft"
        />
      </label>
      <StorageNotice />
      <div className="-mx-1 min-h-0 flex-1 overflow-y-auto px-1" tabIndex={-1}>
        {found ? (
          <section aria-label="Search results">
            <p role="status" className="px-2 py-1 text-xs font-medium text-soft">
              {found.length === 0 ? "Nothing found" : counted(found.length, "conversation")}
            </p>
            <Rows rows={found} current={current} onOpen={onOpen} onErase={onErase} />
          </section>
        ) : (
          grouped(list).map(([name, rows]) => (
            <section key={name} aria-label={name} className="mb-3">
              <h2 className="px-2 py-1 text-xs font-medium text-soft">{name}</h2>
              <Rows rows={rows} current={current} onOpen={onOpen} onErase={onErase} />
            </section>
          ))
        )}
        {!found && <HistoryState />}
        {!found && isLoaded && list.length === 0 && (!history || history.state === "ready") && (
          <p className="px-2 py-3 text-soft">
            Your conversations appear here. This browser stores them with everything that happened in their runs.
          </p>
        )}
      </div>
      <UndoBar />
      <ExchangeButtons isEmpty={list.every(({ isRemote }) => isRemote)} />
    </nav>
  );
};

/** Whether the server's conversations are loaded, and a way to load more of them. Nothing if nobody is signed in. */
const HistoryState = () => {
  const { history, loadMore } = useConversations();
  if (!history) return null;
  const { state, hasMore } = history;
  const isLoading = state === "loading";
  return (
    <div className="px-2 pb-2 text-soft">
      <p role="status" className="py-1 empty:hidden">
        {isLoading && "Loading conversations…"}
        {state === "failed" && "The server's conversations could not be loaded."}
      </p>
      {(hasMore || state === "failed") && (
        <button
          type="button"
          // Stays focusable while it loads, so the keyboard focus is not lost.
          aria-disabled={isLoading}
          onClick={() => !isLoading && void loadMore()}
          className="rounded-md py-1 font-medium text-accent hover:underline aria-disabled:text-soft"
        >
          {state === "failed" ? "Try again" : "Show older conversations"}
        </button>
      )}
    </div>
  );
};

interface RowsProps extends Pick<SidebarProps, "current" | "onOpen" | "onErase"> {
  readonly rows: readonly Found[];
}

const Rows = ({ rows, current, onOpen, onErase }: RowsProps) => (
  <ul>
    {rows.map(({ conversation, message, excerpt }) => (
      <ConversationRow
        key={conversation.id}
        conversation={conversation}
        isCurrent={conversation.id === current}
        onOpen={onOpen}
        onErase={onErase}
        message={message}
        {...(excerpt && { excerpt })}
      />
    ))}
  </ul>
);

/** The search results. Undefined without a search text. */
const useFound = (text: string): readonly Found[] | undefined => {
  const { search, list } = useConversations();
  const [found, setFound] = useState<readonly Found[]>();
  useEffect(() => {
    if (text.trim() === "") return setFound(undefined);
    const stop = new AbortController();
    search(text, stop.signal).then(
      (next) => !stop.signal.aborted && setFound(next),
      () => {},
    );
    return () => stop.abort();
  }, [search, text, list]);
  return found;
};

const DAY = 86_400_000;

const grouped = (list: readonly ConversationFact[]): readonly (readonly [string, readonly Found[]])[] => {
  const today = new Date().setHours(0, 0, 0, 0);
  const groups = new Map<string, Found[]>();
  for (const conversation of list) {
    const { updatedAt } = conversation;
    const name =
      updatedAt >= today
        ? "Today"
        : updatedAt >= today - DAY
          ? "Yesterday"
          : updatedAt >= today - 7 * DAY
            ? "Last 7 days"
            : "Earlier";
    const group = groups.get(name);
    if (group) group.push({ conversation });
    else groups.set(name, [{ conversation }]);
  }
  return [...groups];
};
