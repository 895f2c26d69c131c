import type { Client } from "runcast/client";
import { type Conversations, createConversations, type Tabs } from "./conversations.ts";
import { DatabaseError } from "./database.ts";
import { indexedDatabase } from "./databases/indexed-db.ts";
import { memoryDatabase } from "./databases/memory.ts";

export interface OpenOptions {
  readonly client: Client;
  /** Secrets that a run needs and that must not be stored. */
  readonly secrets?: () => Readonly<Record<string, string>>;
}

const NAME = "runcast";

/**
 * The conversations of this browser. If it cannot store data, those of this tab, which `overview().trouble` reports.
 */
export const openConversations = async ({ client, secrets }: OpenOptions): Promise<Conversations> => {
  let trouble: DatabaseError | undefined;
  const database = await indexedDatabase(NAME).catch((error: unknown) => {
    trouble = error instanceof DatabaseError ? error : new DatabaseError("unavailable", String(error), error);
    return memoryDatabase();
  });
  const conversations = createConversations({
    client,
    database,
    ...(trouble && { trouble }),
    ...(!trouble && { tabs: otherTabs() }),
    ...(secrets && { secrets }),
  });
  const look = (): void => {
    const isHidden = document.visibilityState === "hidden";
    conversations.runs.setHidden(isHidden);
    if (isHidden) void conversations.flush();
  };
  document.addEventListener("visibilitychange", look);
  addEventListener("pagehide", () => void conversations.flush());
  look();
  return conversations;
};

const otherTabs = (): Tabs => {
  const channel = new BroadcastChannel(NAME);
  return {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has no target but its own origin
    tell: (conversation) => channel.postMessage(conversation),
    onTold: (listener) => channel.addEventListener("message", ({ data }) => listener(String(data))),
  };
};
