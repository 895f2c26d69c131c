import type { Client } from "runcast/client";
import type { RunSettings } from "./conversation.ts";
import { type Conversations, createConversations } from "./conversations.ts";
import { DatabaseError } from "./database.ts";
import { indexedDatabase } from "./databases/indexed-db.ts";
import { memoryDatabase } from "./databases/memory.ts";
import type { History, HistoryOptions } from "./history.ts";
import { saveLeftovers, takeLeftovers } from "./leftovers.ts";
import type { Ask } from "./server-threads.ts";
import { createStore, type Store } from "./store.ts";
import { otherTabs } from "./tabs.ts";

export interface OpenOptions {
  readonly client: Client;
  readonly ask: Ask;
  /** Secrets that a run with these settings needs and that must not be stored. */
  readonly secrets?: (settings: RunSettings) => Readonly<Record<string, string>>;
}

const NAME = "runcast";

/**
 * The conversations of this browser. If it cannot store data, those of this tab, which `overview().trouble` reports.
 */
export const openConversations = async ({ client, ask, secrets }: OpenOptions): Promise<Conversations> => {
  let trouble: DatabaseError | undefined;
  const database = await indexedDatabase(NAME).catch((error: unknown) => {
    trouble = error instanceof DatabaseError ? error : new DatabaseError("unavailable", String(error), error);
    return memoryDatabase();
  });
  if (!trouble) await storeLeftovers(createStore(database));
  const conversations = createConversations({
    client,
    database,
    history: (options) => openHistory(ask, options),
    ...(trouble && { trouble }),
    ...(!trouble && { tabs: otherTabs(NAME) }),
    ...(secrets && { secrets }),
  });
  let wasHidden = false;
  const look = (): void => {
    const isHidden = document.visibilityState === "hidden";
    conversations.runs.setHidden(isHidden);
    if (isHidden) void conversations.flush();
    else if (wasHidden) void conversations.refresh();
    wasHidden = isHidden;
  };
  document.addEventListener("visibilitychange", look);
  addEventListener("pagehide", () => {
    void conversations.flush();
    if (!trouble) saveLeftovers(conversations.waiting());
  });
  // A page that is shown again has kept them.
  addEventListener("pageshow", ({ persisted }) => persisted && takeLeftovers());
  look();
  return conversations;
};

const storeLeftovers = async ({ keep }: Store): Promise<void> => {
  // The database may refuse them. The server still has them.
  for (const [run, entries] of takeLeftovers()) await keep(run, entries).catch(() => {});
};

/** Loaded only for a signed-in user, because most pages have none. */
const openHistory = async (ask: Ask, options: HistoryOptions): Promise<History | undefined> => {
  const { user } = (await (await ask("/me")).json()) as { user?: string };
  if (user === undefined) return undefined;
  const { createHistory, createServerThreads } = await import("./history.ts");
  return createHistory(createServerThreads(ask), options);
};
