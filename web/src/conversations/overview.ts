import type { ConversationFact } from "./conversation.ts";
import type { DatabaseError } from "./database.ts";
import type { HistoryStatus } from "./history.ts";

/** State shared by the whole page. Replaced, never mutated. */
export interface Overview {
  readonly isLoaded: boolean;
  /** Most recently changed first. */
  readonly list: readonly ConversationFact[];
  /** Deleted conversations that can still be restored, newest first. */
  readonly deleted: readonly ConversationFact[];
  /** Why something is not stored. The page still works while it is open. */
  readonly trouble: DatabaseError | undefined;
  /** Whether the server's conversations are in the list. Undefined if nobody is signed in. */
  readonly history: HistoryStatus | undefined;
}
