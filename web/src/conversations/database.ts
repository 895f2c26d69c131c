/** What is kept, by kind. The key of a message or a batch has two parts: all of one conversation or run lie together. */
export type Kind = "conversations" | "messages" | "entries" | "uses";
export type Key = string | readonly [string, string | number];

/** One reading of the database, or one change of it. Await nothing else in between: the browser would close it. */
export interface Transaction {
  get(kind: Kind, key: Key): Promise<unknown>;
  /** All records, or those whose key begins with `first`, in the order of their keys. */
  all(kind: Kind, first?: string): Promise<unknown[]>;
  /** The record with the greatest key that begins with `first`. */
  last(kind: Kind, first: string): Promise<unknown>;
  put(kind: Kind, key: Key, value: unknown): void;
  remove(kind: Kind, key: Key): void;
  removeAll(kind: Kind, first: string): void;
}

/**
 * Where the page keeps things. A change happens whole or not at all, and never beside another one, in whatever tab. Rejects
 * with a DatabaseError where it cannot be made.
 */
export interface Database {
  look<Found>(transaction: (transaction: Transaction) => Promise<Found>): Promise<Found>;
  change<Found>(transaction: (transaction: Transaction) => Promise<Found>): Promise<Found>;
}

/** `full`: the browser gives no more room. `unavailable`: it lets the page keep nothing. */
export class DatabaseError extends Error {
  override readonly name = "DatabaseError";
  readonly code: "full" | "unavailable" | "failed";
  constructor(code: DatabaseError["code"], message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}
