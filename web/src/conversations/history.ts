import { ClientError } from "runcast/client";
import {
  type AssistantMessage,
  type Conversation,
  type ConversationFact,
  createConversation,
  isOnServer,
  messagesTo,
} from "./conversation.ts";
import { mergeThread } from "./merge-thread.ts";
import type { ServerThreads } from "./server-threads.ts";
import type { Store } from "./store.ts";

export { createServerThreads } from "./server-threads.ts";

export interface HistoryOptions {
  readonly store: Store;
  readonly change: (id: string, edit: (kept: Conversation | undefined) => Conversation | undefined) => Promise<unknown>;
  readonly erase: (id: string) => Promise<void>;
  readonly onChange: () => Promise<void>;
}

export interface HistoryStatus {
  readonly state: "loading" | "ready" | "failed";
  readonly hasMore: boolean;
}

/** Combines the conversations of this browser with those that the signed-in user has on the server. */
export interface History {
  status(): HistoryStatus;
  /** Adds the server's conversations to those of this browser, last used first. */
  merged(kept: readonly ConversationFact[], isDeleted: (id: string) => boolean): readonly ConversationFact[];
  /** Loads the last used conversations again. */
  refresh(): Promise<void>;
  loadMore(): Promise<void>;
  /** Adds what other browsers did in this conversation since. Reports failures in the status. */
  sync(id: string): Promise<void>;
  /** Loads the entries that a request after `message` needs. */
  complete(conversation: Conversation, message: string | undefined): Promise<void>;
  /** A conversation without messages, to store in this browser for one that is only on the server. */
  placeholder(id: string): Conversation | undefined;
  forget(id: string): void;
}

const AT_ONCE = 4;

export const createHistory = (threads: ServerThreads, { store, change, erase, onChange }: HistoryOptions): History => {
  let state: HistoryStatus["state"] = "loading";
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    state = "loading";
    await onChange();
    try {
      await work();
      state = "ready";
    } catch {
      state = "failed";
    }
    await onChange();
  };
  const factOf = (id: string): ConversationFact | undefined => threads.list().find((fact) => fact.id === id);

  return {
    status: () => ({ state, hasMore: threads.hasMore }),
    merged: (kept, isDeleted) => {
      const remote = new Map(threads.list().map((fact) => [fact.id, fact]));
      const own = kept.map((fact) => {
        const updatedAt = Math.max(fact.updatedAt, remote.get(fact.id)?.updatedAt ?? 0);
        remote.delete(fact.id);
        return updatedAt === fact.updatedAt ? fact : { ...fact, updatedAt };
      });
      const others = [...remote.values()].filter(({ id }) => !isDeleted(id));
      return [...own, ...others].sort((one, other) => other.updatedAt - one.updatedAt);
    },
    refresh: () => attempt(threads.load),
    loadMore: () => attempt(state === "failed" ? threads.load : threads.loadMore),
    sync: async (id) => {
      try {
        const kept = await store.load(id).catch(() => undefined);
        if (kept ? kept.deletedAt !== undefined : (await store.list()).gone.has(id)) return;
        const runs = await threads.runs(id);
        if (runs) {
          if (!kept || mergeThread(kept, id, runs) !== kept)
            await change(id, (now) => (now?.deletedAt === undefined ? mergeThread(now, id, runs) : now));
        } else if (kept && isCopy(kept)) await erase(id);
      } catch {
        state = "failed";
        await onChange();
      }
    },
    complete: async (conversation, message) => {
      const open = messagesTo(conversation, message).filter(isOnServer);
      const load = async ({ run }: AssistantMessage): Promise<void> => {
        if ((await store.entries(run)).at(-1)?.event.type === "run-end") return;
        try {
          await store.keep(run, await threads.entries(run));
        } catch (error) {
          // A run that the server has deleted cannot be sent again.
          if (!(error instanceof ClientError && (error.status === 404 || error.status === 410))) throw error;
        }
      };
      for (let at = 0; at < open.length; at += AT_ONCE) await Promise.all(open.slice(at, at + AT_ONCE).map(load));
    },
    placeholder: (id) => {
      const fact = factOf(id);
      return fact && { ...createConversation(id, fact.createdAt), title: fact.title, updatedAt: fact.updatedAt };
    },
    forget: (id) => threads.forget(id),
  };
};

/** Whether everything in it came from the server. If the server deletes it, so does this browser. */
const isCopy = ({ messages }: Conversation): boolean =>
  messages.every((message) => message.role === "user" || message.isRemote === true);
