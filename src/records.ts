import type { Json } from "./events.ts";

/**
 * Stores a server's data that is not a run: share links, keys (hashed), quotas, audit entries. Values are small and
 * addressed by kind and id.
 *
 * Every variant guarantees:
 * - Each call is atomic for its one record, across processes, and resolves when it is stored as described by the log's
 *   `survives`. Nothing is atomic across records.
 * - Time is the engine's, so processes with different clocks agree on what has expired. That is why lifetimes are
 *   durations in milliseconds, not timestamps. Expired records are gone for every call, but may be freed later.
 * - Kinds match `[a-z][a-z0-9-]*`, ids are 1 to 256 printable ASCII characters, so every engine sorts them the same
 *   way. Hash or escape anything else. A value is at most 64 KiB of JSON.
 */
export interface Records {
  /** Sets a record and its lifetime, unlimited without `ttlMs`. With `ifAbsent`, returns false and changes nothing if it exists. */
  put(kind: string, id: string, value: Json, options?: RecordOptions & { ifAbsent?: boolean }): Promise<boolean>;
  get(kind: string, id: string): Promise<Json | undefined>;
  /** In descending order of id (newest first if ids begin with a time), starting before `before`. May lag behind `put`. */
  list(kind: string, query: { prefix?: string; limit: number; before?: string }): Promise<StoredRecord[]>;
  /** Returns false if the record did not exist. */
  delete(kind: string, id: string): Promise<boolean>;
  /**
   * Adds an integer to a counter and returns the sum. Creates the counter at 0 with this lifetime, which later calls do
   * not change. Rejects if the record is not an integer. To enforce a limit, add first and subtract the excess.
   */
  add(kind: string, id: string, amount: number, options?: RecordOptions): Promise<number>;
}

export interface RecordOptions {
  readonly ttlMs?: number;
}

export interface StoredRecord {
  readonly id: string;
  readonly value: Json;
}

const KIND = /^[a-z][a-z0-9-]{0,31}$/;
const ID = /^[\x21-\x7e]{1,256}$/;
const MAX_VALUE = 64 * 1024;

export const checkRecord = (kind: string, id?: string): void => {
  if (!KIND.test(kind)) throw new TypeError(`not a kind of record: ${JSON.stringify(kind)}`);
  if (id !== undefined && !ID.test(id))
    throw new TypeError(`not a record's id: ${JSON.stringify(id)}; use 1 to 256 printable ASCII characters`);
};

/** A record's value as JSON text. */
export const recordText = (value: Json): string => {
  const text = JSON.stringify(value);
  if (text === undefined) throw new TypeError("a record's value must be JSON");
  if (Buffer.byteLength(text) > MAX_VALUE) throw new RangeError(`a record holds at most ${MAX_VALUE} bytes`);
  return text;
};

/** A counter's value after adding `amount`. `value` is undefined for a new counter. */
export const sumOf = (id: string, value: Json | undefined, amount: number): number => {
  const sum = (value ?? 0) as number;
  if (value !== undefined && !Number.isSafeInteger(value)) throw new TypeError(`record ${id} is not a counter`);
  if (!Number.isSafeInteger(amount) || !Number.isSafeInteger(sum + amount))
    throw new TypeError(`cannot add ${amount}: a counter holds whole numbers`);
  return sum + amount;
};
