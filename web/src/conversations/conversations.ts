import { type Client, createRunId as createId } from "runcast/client";
import type { Entry, Part } from "runcast/events";
import {
  type AssistantMessage,
  addMessage,
  type ChatMessage,
  chooseMessage,
  type Conversation,
  createConversation,
  endRun,
  forkConversation,
  renameConversation,
  type RunSettings,
  shownMessages,
  type UserMessage,
} from "./conversation.ts";
import { exportConversations, importConversations, type Imported } from "./exchange.ts";
import type { History, HistoryOptions } from "./history.ts";
import { createOpened } from "./opened.ts";
import { type OutgoingFile, uploadFiles } from "./upload-files.ts";
import { createWriteBuffer } from "./write-buffer.ts";
import { createRequests } from "./requests.ts";
import { createRuns, type FollowRun, type Runs } from "./runs.ts";
import type { Database, DatabaseError } from "./database.ts";
import type { Overview } from "./overview.ts";
import type { Tabs } from "./tabs.ts";
import { createStore, type Found } from "./store.ts";

export interface ConversationsOptions {
  readonly client: Client;
  readonly database: Database;
  /** Set if the database keeps data only as long as the tab is open, with the reason. */
  readonly trouble?: DatabaseError;
  readonly tabs?: Tabs;
  readonly secrets?: (settings: RunSettings) => Readonly<Record<string, string>>;
  /** The signed-in user's conversations on the server. Resolves with undefined if nobody is signed in. */
  readonly history?: (options: HistoryOptions) => Promise<History | undefined>;
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
  /** Adds a message after `parent` (default: the last one shown) and starts a run. Without an id, creates a new conversation. */
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
  /** Loads what other browsers of the signed-in user did since, in the list and in open conversations. */
  refresh(): Promise<void>;
  /** Loads older conversations from the server. */
  loadMore(): Promise<void>;
  /** Stores everything pending. */
  flush(): Promise<void>;
  /** The entries that are not stored yet, by run. */
  waiting(): ReadonlyMap<string, readonly Entry[]>;
}

export interface NewMessage {
  readonly content: readonly Part[];
  /** Files to upload with it. */
  readonly files?: readonly OutgoingFile[];
  readonly pages?: UserMessage["pages"];
  readonly settings: RunSettings;
  readonly keeps?: UserMessage["keeps"];
  /** `null` for the start of the conversation. */
  readonly parent?: string | null;
}

/** How long a deleted conversation can be restored, in any tab. */
const UNDO_MS = 60_000;

export const createConversations = (options: ConversationsOptions): Conversations => {
  const { client, database, tabs, secrets } = options;
  const listeners = new Set<() => void>();
  const opened = createOpened();
  let connecting: Promise<History | undefined> | undefined;
  let history: History | undefined;
  let overview: Overview = { isLoaded: false, list: [], deleted: [], trouble: options.trouble, history: undefined };

  const show = (change: Partial<Overview>): void => {
    overview = { ...overview, ...change };
    for (const listener of listeners) listener();
  };
  const store = createStore(database, (trouble) => {
    if ((trouble ?? options.trouble) !== overview.trouble) show({ trouble: trouble ?? options.trouble });
  });
  const runs = createRuns({
    client,
    peeks: true,
    entries: (run) => entriesOf(run),
    onEntry: (run, entry) => buffer.add(run, entry),
    onEnd: (run, end) => {
      requests.forget(run);
      for (const id of opened.ids()) {
        const conversation = opened.get(id);
        if (conversation && endRun(conversation, run, end) !== conversation)
          void change(id, (kept) => kept && endRun(kept, run, end));
      }
    },
  });
  const buffer = createWriteBuffer({ keep: store.keep });
  /** Includes entries that could not be stored. */
  const entriesOf = async (run: string): Promise<Entry[]> => {
    await buffer.flush();
    const kept = await store.entries(run).catch(() => []);
    const last = kept.at(-1)?.seq ?? 0;
    return [...kept, ...(buffer.waiting().get(run) ?? []).filter(({ seq }) => seq > last)];
  };

  const refresh = async (): Promise<void> => {
    try {
      const { kept, deleted, gone } = await store.list();
      for (const { id, deletedAt = 0 } of deleted) if (deletedAt < Date.now() - UNDO_MS) await store.remove(id);
      const isDeleted = (id: string) => gone.has(id) || deleted.some((fact) => fact.id === id);
      show({ isLoaded: true, list: history?.merged(kept, isDeleted) ?? kept, deleted, history: history?.status() });
    } catch {
      show({ isLoaded: true });
    }
  };
  const reload = async (id: string): Promise<void> => opened.hold(id, await store.load(id).catch(() => undefined));
  const change = async (
    id: string,
    edit: (conversation: Conversation | undefined) => Conversation | undefined,
  ): Promise<Conversation | undefined> => {
    const changed = await store.change(id, edit);
    // There may be free space again.
    if (overview.trouble) void buffer.flush();
    opened.hold(id, changed);
    tabs?.notify(id);
    await refresh();
    return changed;
  };
  const erase = async (id: string): Promise<void> => {
    await buffer.flush();
    await store.remove(id);
    history?.forget(id);
    opened.hold(id, undefined);
    tabs?.notify(id);
    await refresh();
  };
  /** A failure to connect is not kept, so the next call tries again. */
  const connected = async (): Promise<History | undefined> => {
    connecting ??= options.history?.({ store, change, erase, onChange: refresh }) ?? Promise.resolve(undefined);
    try {
      history = await connecting;
    } catch {
      connecting = undefined;
    }
    return history;
  };
  const load = async (id: string): Promise<void> => {
    const kept = await store.load(id).catch(() => undefined);
    // One without messages is still on the server.
    const isHere = kept !== undefined && kept.messages.length > 0;
    if (isHere) opened.hold(id, kept);
    await (await connected())?.sync(id);
    if (!isHere) await reload(id);
  };
  tabs?.onNotify((id) => {
    void reload(id);
    void refresh();
  });
  void refresh();
  void connected().then((found) => found?.refresh());

  const requests = createRequests({ client, entries: entriesOf, secrets });
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
    open: (id) => opened.open(id, () => void load(id)),
    get: opened.get,
    subscribeTo: opened.subscribe,
    send: async (wanted, { content: words, files = [], pages, settings, keeps, parent }) => {
      const run = createId();
      // Upload first: a message whose files failed to upload was not sent.
      const content = [...(await uploadFiles(client, run, files)), ...words];
      const before = wanted === undefined ? undefined : await store.load(wanted);
      if (before) await history?.complete(before, parent === undefined ? lastOf(before) : (parent ?? undefined));
      const id = wanted ?? createId();
      const at = Date.now();
      const message = createId();
      await change(id, (kept) => {
        const conversation = kept ?? createConversation(id, at);
        const after = parent === undefined ? lastOf(conversation) : (parent ?? undefined);
        const user: UserMessage = {
          id: message,
          at,
          role: "user",
          content,
          ...(pages && { pages }),
          ...(keeps !== undefined && { keeps }),
          ...(after !== undefined && { parent: after }),
        };
        return addMessage(conversation, user);
      });
      return { id, run: await addAnswer(id, message, settings, run) };
    },
    rerun: async (id, message, settings) => {
      const conversation = await store.load(id);
      if (conversation) await history?.complete(conversation, message.parent);
      if (message.parent !== undefined) await addAnswer(id, message.parent, settings ?? message.settings);
    },
    choose: async (id, message) => void (await change(id, (kept) => kept && chooseMessage(kept, message))),
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
      await change(id, (stored) => {
        const kept = stored ?? history?.placeholder(id);
        return kept && renameConversation(kept, title);
      });
    },
    remove: async (id) => {
      await change(id, (stored) => {
        const kept = stored ?? history?.placeholder(id);
        return kept && { ...kept, deletedAt: Date.now() };
      });
    },
    restore: async (id) => {
      await change(id, (kept) => {
        if (!kept) return kept;
        const { deletedAt: _, ...rest } = kept;
        return rest;
      });
    },
    erase,
    search: async (text, signal) => {
      const found = await store.search(text, signal);
      const words = text.trim().toLowerCase();
      const remote = overview.list.filter(({ isRemote, title }) => isRemote && title.toLowerCase().includes(words));
      return [...found, ...remote.map((conversation) => ({ conversation }))];
    },
    export: async (id) => {
      if (id !== undefined) await history?.sync(id);
      return await exportConversations({ ...store, entries: entriesOf }, id);
    },
    import: async (text) => {
      const imported = await importConversations(store, text, createId);
      tabs?.notify("");
      await refresh();
      return imported;
    },
    entries: entriesOf,
    follow: (id, message) => (message.isRemote ? {} : { request: () => requests.get(opened.get(id), message) }),
    refresh: async () => {
      const found = await connected();
      if (found) await Promise.all([found.refresh(), ...opened.ids().map(found.sync)]);
    },
    loadMore: async () => await history?.loadMore(),
    flush: buffer.flush,
    waiting: buffer.waiting,
  };
};

const lastOf = (conversation: Conversation): string | undefined => shownMessages(conversation).at(-1)?.id;
