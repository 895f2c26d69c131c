import type { Client } from "runcast/client";
import { type Conversations, createConversations, type Tabs } from "./conversations.ts";
import { ShelfError } from "./shelf.ts";
import { indexedDbShelf } from "./shelves/indexed-db.ts";
import { memoryShelf } from "./shelves/memory.ts";

export interface OpenOptions {
  readonly client: Client;
  /** What a run needs but nobody may keep. */
  readonly secrets?: () => Readonly<Record<string, string>>;
}

const NAME = "runcast";

/** The conversations of this browser, or, where it keeps nothing, of this tab: `overview().trouble` says so. */
export const openConversations = async ({ client, secrets }: OpenOptions): Promise<Conversations> => {
  let trouble: ShelfError | undefined;
  const shelf = await indexedDbShelf(NAME).catch((error: unknown) => {
    trouble = error instanceof ShelfError ? error : new ShelfError("unavailable", String(error), error);
    return memoryShelf();
  });
  const conversations = createConversations({
    client,
    shelf,
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
