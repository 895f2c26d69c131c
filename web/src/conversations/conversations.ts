import { createRunId as createId } from "runcast/client";
import type { Client } from "runcast/client";
import type { Entry, Part } from "runcast/events";
import {
  type AssistantMessage,
  addMessage,
  type ChatMessage,
  chooseMessage,
  type Conversation,
  type ConversationFact,
  createConversation,
  endRun,
  forkConversation,
  renameConversation,
  type RunSettings,
  shownMessages,
  type UserMessage,
} from "./conversation.ts";
import { exportConversations, importConversations, type Imported } from "./exchange.ts";
import { type OutgoingFile, uploadFiles } from "./upload-files.ts";
import { createWriteBuffer } from "./write-buffer.ts";
import { createRequests } from "./requests.ts";
import { createRuns, type FollowRun, type Runs } from "./runs.ts";
import type { Database, DatabaseError } from "./database.ts";
import { createStore, type Found } from "./store.ts";

export interface ConversationsOptions {
  readonly client: Client;
  readonly database: Database;
  /** Set if the database keeps data only as long as the tab is open, with the reason. */
  readonly trouble?: DatabaseError;
  readonly tabs?: Tabs;
  readonly secrets?: () => Readonly<Record<string, string>>;
}

/** The other tabs of this browser. */
export interface Tabs {
  /** Reports that a conversation has changed. "" means only the list. */
  tell(conversation: string): void;
  onTold(listener: (conversation: string) => void): void;
}

/** State shared by the whole page. Replaced, never mutated. */
export interface Overview {
  readonly isLoaded: boolean;
  /** Last changed first. */
  readonly list: readonly ConversationFact[];
  /** Deleted conversations that can still be restored, newest first. */
  readonly deleted: readonly ConversationFact[];
  /** Why something is not stored. The page still works while it is open. */
  readonly trouble: DatabaseError | undefined;
}

export interface Conversations {
  readonly runs: Runs;
  overview(): Overview;
  subscribe(listener: () => void): () => void;
  /** Loads it once, after which `get` returns it. Returns a function that closes it. */
  open(id: string): () => void;
  /** `null` if it does not exist. Undefined while it is loading. */
  get(id: string): Conversation | null | undefined;
  subscribeTo(id: string, listener: () => void): () => void;
  /** Adds a message after `parent` (default: the last one shown) and starts a run. Without an ID, creates a new conversation. */
  send(id: string | undefined, message: NewMessage): Promise<{ readonly id: string; readonly run: string }>;
  /** Runs the answer again, as a new branch. */
  rerun(id: string, message: AssistantMessage, settings?: RunSettings): Promise<void>;
  choose(id: string, message: string): Promise<void>;
  /** Creates a conversation with the messages up to this one. A user message is not included but returned as the draft to continue with. */
  fork(id: string, message: ChatMessage): Promise<{ readonly id: string; readonly draft?: readonly Part[] }>;
  rename(id: string, title: string): Promise<void>;
  /** Deletes it. It can be restored for a while. */
  remove(id: string): Promise<void>;
  restore(id: string): Promise<void>;
  /** Deletes it permanently. */
  erase(id: string): Promise<void>;
  search(text: string, signal?: AbortSignal): Promise<Found[]>;
  /** All conversations or one, as JSON. */
  export(id?: string): Promise<string>;
  /** Throws an ExchangeError if the text is not a valid file. */
  import(text: string): Promise<Imported>;
  /** All known entries of a run, for replay. */
  entries(run: string): Promise<Entry[]>;
  /** How to follow the run of an answer. */
  follow(id: string, message: AssistantMessage): FollowRun;
  /** Stores everything pending. Call it before the page unloads. */
  flush(): Promise<void>;
}

export interface NewMessage {
  readonly content: readonly Part[];
  /** Files to upload with it. */
  readonly files?: readonly OutgoingFile[];
  readonly pages?: UserMessage["pages"];
  readonly settings: RunSettings;
  /** `null` for the start of the conversation. */
  readonly parent?: string | null;
}

/** How long a deleted conversation can be restored, in any tab. */
const UNDO_MS = 60_000;

export const createConversations = (options: ConversationsOptions): Conversations => {
  const { client, database, tabs, secrets } = options;
  const listeners = new Set<() => void>();
  const listenersOf = new Map<string, Set<() => void>>();
  const opened = new Map<string, { users: number; conversation: Conversation | null | undefined }>();
  let overview: Overview = { isLoaded: false, list: [], deleted: [], trouble: options.trouble };

  const show = (change: Partial<Overview>): void => {
    overview = { ...overview, ...change };
    for (const listener of listeners) listener();
  };
  const store = createStore(database, (trouble) => {
    if ((trouble ?? options.trouble) !== overview.trouble) show({ trouble: trouble ?? options.trouble });
  });
  const runs = createRuns({
    client,
    entries: (run) => entriesOf(run),
    onEntry: (run, entry) => buffer.add(run, entry),
    onEnd: (run, end) => {
      requests.forget(run);
      for (const [id, { conversation }] of opened)
        if (conversation && endRun(conversation, run, end) !== conversation)
          void change(id, (kept) => kept && endRun(kept, run, end));
    },
  });
  const buffer = createWriteBuffer({ keep: store.keep });
  /** Includes entries that could not be stored. */
  const entriesOf = async (run: string): Promise<Entry[]> => {
    await buffer.flush();
    const kept = await store.entries(run).catch(() => []);
    const last = kept.at(-1)?.seq ?? 0;
    return [...kept, ...buffer.waiting(run).filter(({ seq }) => seq > last)];
  };

  const refresh = async (): Promise<void> => {
    try {
      const { kept, deleted } = await store.list();
      for (const { id, deletedAt = 0 } of deleted) if (deletedAt < Date.now() - UNDO_MS) await store.remove(id);
      show({ isLoaded: true, list: kept, deleted });
    } catch {
      show({ isLoaded: true });
    }
  };
  const hold = (id: string, conversation: Conversation | undefined): void => {
    const found = opened.get(id);
    if (!found) return;
    found.conversation = conversation ?? null;
    for (const listener of listenersOf.get(id) ?? []) listener();
  };
  const reload = async (id: string): Promise<void> => {
    if (opened.has(id)) hold(id, await store.load(id).catch(() => undefined));
  };
  const change = async (
    id: string,
    edit: (conversation: Conversation | undefined) => Conversation | undefined,
  ): Promise<Conversation | undefined> => {
    const changed = await store.change(id, edit);
    // There may be free space again.
    if (overview.trouble) void buffer.flush();
    hold(id, changed);
    tabs?.tell(id);
    await refresh();
    return changed;
  };
  tabs?.onTold((id) => {
    void reload(id);
    void refresh();
  });
  void refresh();

  const requests = createRequests({ entries: entriesOf, secrets });
  const addAnswer = async (id: string, parent: string, settings: RunSettings, run = createId()): Promise<string> => {
    const conversation = await store.load(id);
    if (!conversation) throw new Error(`there is no conversation ${id}`);
    // An answer must come after its question, even if the clock returns the same time for both.
    const at = Math.max(Date.now(), 1 + (conversation.messages.find((message) => message.id === parent)?.at ?? 0));
    const answer: AssistantMessage = { id: createId(), parent, at, role: "assistant", run, settings };
    await requests.make(conversation, answer);
    await change(id, (kept) => kept && addMessage(kept, answer));
    return run;
  };

  return {
    runs,
    overview: () => overview,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    open: (id) => {
      const found = opened.get(id) ?? { users: 0, conversation: undefined };
      opened.set(id, found);
      if (found.users++ === 0) void reload(id);
      return () => {
        if (--found.users === 0) opened.delete(id);
      };
    },
    get: (id) => opened.get(id)?.conversation,
    subscribeTo: (id, listener) => {
      let listeners = listenersOf.get(id);
      if (!listeners) listenersOf.set(id, (listeners = new Set()));
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    send: async (wanted, { content: words, files = [], pages, settings, parent }) => {
      const run = createId();
      // Upload first: a message whose files failed to upload was not sent.
      const content = [...(await uploadFiles(client, run, files)), ...words];
      const id = wanted ?? createId();
      const at = Date.now();
      const message = createId();
      await change(id, (kept) => {
        const conversation = kept ?? createConversation(id, at);
        const after = parent === undefined ? shownMessages(conversation).at(-1)?.id : (parent ?? undefined);
        const user: UserMessage = {
          id: message,
          at,
          role: "user",
          content,
          ...(pages && { pages }),
          ...(after !== undefined && { parent: after }),
        };
        return addMessage(conversation, user);
      });
      return { id, run: await addAnswer(id, message, settings, run) };
    },
    rerun: async (id, message, settings) => {
      if (message.parent !== undefined) await addAnswer(id, message.parent, settings ?? message.settings);
    },
    choose: async (id, message) => {
      await change(id, (kept) => kept && chooseMessage(kept, message));
    },
    fork: async (from, message) => {
      const conversation = await store.load(from);
      if (!conversation) throw new Error(`there is no conversation ${from}`);
      const id = createId();
      const isUser = message.role === "user";
      const until = isUser ? message.parent : message.id;
      await change(id, () => forkConversation(conversation, until, { id, at: Date.now() }));
      return { id, ...(isUser && { draft: message.content }) };
    },
    rename: async (id, title) => {
      await change(id, (kept) => kept && renameConversation(kept, title));
    },
    remove: async (id) => {
      await change(id, (kept) => kept && { ...kept, deletedAt: Date.now() });
    },
    restore: async (id) => {
      await change(id, (kept) => {
        if (!kept) return kept;
        const { deletedAt: _, ...rest } = kept;
        return rest;
      });
    },
    erase: async (id) => {
      await buffer.flush();
      await store.remove(id);
      hold(id, undefined);
      tabs?.tell(id);
      await refresh();
    },
    search: store.search,
    export: (id) => exportConversations({ ...store, entries: entriesOf }, id),
    import: async (text) => {
      const imported = await importConversations(store, text, createId);
      tabs?.tell("");
      await refresh();
      return imported;
    },
    entries: entriesOf,
    follow: (id, message) => ({ request: () => requests.get(opened.get(id)?.conversation, message) }),
    flush: buffer.flush,
  };
};
