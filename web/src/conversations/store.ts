import type { Entry } from "runcast/events";
import { type ChatMessage, type Conversation, type ConversationFact, textOf } from "./conversation.ts";
import { type Database, DatabaseError, type Transaction } from "./database.ts";
import { readStoredMessage } from "./stored-message.ts";

/** Consecutive entries of a run. */
interface Batch {
  readonly last: number;
  readonly entries: readonly Entry[];
}

/** What remains of a permanently deleted conversation, so the server's copy does not bring it back. */
interface Gone {
  readonly id: string;
  readonly goneAt: number;
}
type Stored = ConversationFact | Gone;
const isGone = (fact: Stored): fact is Gone => "goneAt" in fact;
const MAX_GONE = 5000;
/** How many conversations one transaction reads. A transaction for each would take most of the time. */
const SEARCHED_TOGETHER = 50;

export interface Found {
  readonly conversation: ConversationFact;
  /** Absent if the title matched. */
  readonly message?: string;
  /** The text around the match. */
  readonly excerpt?: readonly [before: string, found: string, after: string];
}

/**
 * Conversations and the entries of their runs, in a database.
 *
 * Conversations that the database rejects (it may be full) are kept in memory while the tab is open and retried with
 * the next change. `onTrouble` is called with the problem, and with undefined when it is resolved.
 */
export interface Store {
  /** Last changed first. Deleted conversations are only in `deleted`. */
  list(): Promise<{
    readonly kept: ConversationFact[];
    readonly deleted: ConversationFact[];
    /** The ids of permanently deleted conversations. The server may still have them. */
    readonly gone: ReadonlySet<string>;
  }>;
  load(id: string): Promise<Conversation | undefined>;
  /** Changes are serialized across tabs. `edit` gets the currently stored conversation and returns the new one. */
  change(
    id: string,
    edit: (conversation: Conversation | undefined) => Conversation | undefined,
  ): Promise<Conversation | undefined>;
  /** Deletes permanently, with the entries of runs that no other conversation uses. */
  remove(id: string): Promise<void>;
  search(text: string, signal?: AbortSignal): Promise<Found[]>;
  entries(run: string): Promise<Entry[]>;
  /** Appends entries after the last stored one and ignores known ones. Returns whether all of them are stored. */
  keep(run: string, entries: readonly Entry[]): Promise<boolean>;
}

export const createStore = (
  database: Database,
  onTrouble: (trouble: DatabaseError | undefined) => void = () => {},
): Store => {
  /** Conversations that the database has not accepted. */
  const unsaved = new Map<string, Conversation>();

  const attempt = async <Done>(work: (transaction: Transaction) => Promise<Done>): Promise<Done> => {
    try {
      const done = await database.change(work);
      if (unsaved.size === 0) onTrouble(undefined);
      return done;
    } catch (error) {
      if (error instanceof DatabaseError) onTrouble(error);
      throw error;
    }
  };

  const load = async (id: string): Promise<Conversation | undefined> =>
    unsaved.get(id) ?? (await database.read((transaction) => read(transaction, id)));

  const list: Store["list"] = async () => {
    const facts = new Map<string, ConversationFact>();
    const gone = new Set<string>();
    for (const fact of (await database.read((transaction) => transaction.all("conversations"))) as Stored[])
      if (isGone(fact)) gone.add(fact.id);
      else facts.set(fact.id, fact);
    for (const conversation of unsaved.values()) facts.set(conversation.id, factOf(conversation));
    const all = [...facts.values()].sort((one, other) => other.updatedAt - one.updatedAt);
    return {
      kept: all.filter(({ deletedAt }) => deletedAt === undefined),
      deleted: all.filter(({ deletedAt }) => deletedAt !== undefined),
      gone,
    };
  };

  return {
    list,
    load,
    change: async (id, edit) => {
      let after: Conversation | undefined;
      try {
        await attempt(async (transaction) => {
          const before = await read(transaction, id);
          const base = unsaved.get(id) ?? before;
          after = edit(base);
          if (after && after !== before) write(transaction, before, after);
        });
        unsaved.delete(id);
        if (unsaved.size === 0) onTrouble(undefined);
      } catch (error) {
        if (!(error instanceof DatabaseError)) throw error;
        after = edit(await load(id).catch(() => undefined));
        if (after) unsaved.set(id, after);
      }
      return after;
    },
    remove: async (id) => {
      unsaved.delete(id);
      await attempt(async (transaction) => {
        const messages = (await transaction.all("messages", id)) as ChatMessage[];
        const runs = new Set(messages.flatMap((message) => (message.role === "assistant" ? [message.run] : [])));
        for (const run of runs) {
          const users = (await transaction.all("uses", run)) as string[];
          transaction.remove("uses", [run, id]);
          if (users.every((user) => user === id)) transaction.removeAll("entries", run);
        }
        transaction.removeAll("messages", id);
        const known = (await transaction.all("conversations")) as Stored[];
        const gone = known.filter(isGone).sort((one, other) => one.goneAt - other.goneAt);
        for (const oldest of gone.slice(0, Math.max(0, gone.length + 1 - MAX_GONE)))
          transaction.remove("conversations", oldest.id);
        transaction.put("conversations", id, { id, goneAt: Date.now() } satisfies Gone);
      });
    },
    search: async (text, signal) => {
      const wanted = text.trim().toLowerCase();
      const found: Found[] = [];
      if (wanted === "") return found;
      const { kept } = await list();
      for (let at = 0; at < kept.length; at += SEARCHED_TOGETHER) {
        signal?.throwIfAborted();
        const batch = kept.slice(at, at + SEARCHED_TOGETHER);
        const messages = await database.read((transaction) =>
          Promise.all(batch.map(({ id }) => unsaved.get(id)?.messages ?? readMessages(transaction, id))),
        );
        for (const [index, conversation] of batch.entries()) {
          const hit = firstExcerpt(messages[index]!, wanted);
          if (hit) found.push({ conversation, ...hit });
          else if (conversation.title.toLowerCase().includes(wanted)) found.push({ conversation });
        }
      }
      return found;
    },
    entries: async (run) =>
      ((await database.read((transaction) => transaction.all("entries", run))) as Batch[]).flatMap(
        ({ entries }) => entries,
      ),
    keep: (run, entries) =>
      attempt(async (transaction) => {
        const last = ((await transaction.last("entries", run)) as Batch | undefined)?.last ?? 0;
        const fresh = entries.filter(({ seq }) => seq > last);
        const [first] = fresh;
        if (!first) return true;
        // The earlier entries were removed, and a log without its beginning is useless.
        if (first.seq !== last + 1) return false;
        transaction.put("entries", [run, first.seq], { last: fresh.at(-1)!.seq, entries: fresh } satisfies Batch);
        return true;
      }),
  };
};

const read = async (transaction: Transaction, id: string): Promise<Conversation | undefined> => {
  const fact = (await transaction.get("conversations", id)) as Stored | undefined;
  if (!fact || isGone(fact)) return undefined;
  return { ...fact, messages: await readMessages(transaction, id) };
};

const readMessages = async (transaction: Transaction, id: string): Promise<ChatMessage[]> => {
  const messages = (await transaction.all("messages", id)).map(readStoredMessage);
  return messages.sort((one, other) => one.at - other.at || (one.id < other.id ? -1 : 1));
};

const write = (transaction: Transaction, before: Conversation | undefined, after: Conversation): void => {
  const known = new Map(before?.messages.map((message) => [message.id, message]));
  for (const message of after.messages) {
    if (known.get(message.id) === message) continue;
    transaction.put("messages", [after.id, message.id], message);
    if (message.role === "assistant") transaction.put("uses", [message.run, after.id], after.id);
  }
  transaction.put("conversations", after.id, factOf(after));
};

const factOf = ({ messages: _, ...fact }: Conversation): ConversationFact => fact;

const AROUND = 40;

const firstExcerpt = (messages: readonly ChatMessage[], wanted: string): ReturnType<typeof excerptOf> => {
  for (const message of messages) {
    const excerpt = excerptOf(message, wanted);
    if (excerpt) return excerpt;
  }
  return undefined;
};

const excerptOf = (message: ChatMessage, wanted: string): Pick<Found, "message" | "excerpt"> | undefined => {
  const text = textOf(message);
  const start = text.toLowerCase().indexOf(wanted);
  if (start < 0) return undefined;
  const end = start + wanted.length;
  const before = text.slice(Math.max(0, start - AROUND), start);
  return {
    message: message.id,
    excerpt: [
      start > AROUND ? `…${before}` : before,
      text.slice(start, end),
      text.slice(end, end + AROUND) + (end + AROUND < text.length ? "…" : ""),
    ],
  };
};
