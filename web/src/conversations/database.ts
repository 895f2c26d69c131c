/** The kinds of records. Keys of messages and batches have two parts, so all records of one conversation or run are adjacent. */
export type Kind = "conversations" | "messages" | "entries" | "uses";
export type Key = string | readonly [string, string | number];

/** A transaction. Do not await anything else inside it: the browser would close it. */
export interface Transaction {
  get(kind: Kind, key: Key): Promise<unknown>;
  /** All records, or those whose key starts with `first`, in key order. */
  all(kind: Kind, first?: string): Promise<unknown[]>;
  /** The record with the greatest key that starts with `first`. */
  last(kind: Kind, first: string): Promise<unknown>;
  put(kind: Kind, key: Key, value: unknown): void;
  remove(kind: Kind, key: Key): void;
  removeAll(kind: Kind, first: string): void;
}

/**
 * The page's storage. Changes are atomic and serialized across tabs. Rejects with a DatabaseError if a change fails.
 */
export interface Database {
  read<Found>(transaction: (transaction: Transaction) => Promise<Found>): Promise<Found>;
  change<Found>(transaction: (transaction: Transaction) => Promise<Found>): Promise<Found>;
}

/** `full`: the storage quota is exceeded. `unavailable`: the browser does not let the page store data. */
export class DatabaseError extends Error {
  override readonly name = "DatabaseError";
  readonly code: "full" | "unavailable" | "failed";
  constructor(code: DatabaseError["code"], message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}
