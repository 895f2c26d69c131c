import type { Json } from "./events.ts";

/**
 * What a server keeps that is not a run: share links, keys (hashed), quotas, audit entries. Small values, found by kind and id.
 *
 * What every variant promises:
 * - Each call is atomic for its one record, whichever process makes it, and resolves when it is stored in the sense of the
 *   log's `survives`. There is nothing atomic over several records.
 * - Time is the engine's: processes whose clocks differ agree on what has expired. That is why a life is told in
 *   milliseconds from now and not as a moment. What has expired is gone for every call, though its room may be freed later.
 * - Kinds match `[a-z][a-z0-9-]*`, ids are 1 to 256 printable ASCII characters, so that every engine sorts them alike. Put
 *   a hash or an escape of anything else. A value is at most 64 KiB of JSON.
 */
export interface Records {
  /** Sets a record and its life; without `ttlMs` it stays. False, and nothing changed, if `ifAbsent` and it is there. */
  put(kind: string, id: string, value: Json, options?: RecordOptions & { ifAbsent?: boolean }): Promise<boolean>;
  get(kind: string, id: string): Promise<Json | undefined>;
  /** By id, last first (so newest first where ids begin with a time), from before `before` on. May lag behind `put`. */
  list(kind: string, query: { prefix?: string; limit: number; before?: string }): Promise<StoredRecord[]>;
  /** False if there was none. */
  delete(kind: string, id: string): Promise<boolean>;
  /**
   * Adds a whole number to a counter and answers the sum. Makes it, from 0, with this life, which later calls do not
   * change. Rejects if the record is not a whole number. To keep under a limit, add first and take back what was too much.
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

/** What a counter that holds `value` (undefined: it is new) holds after `amount`. */
export const sumOf = (id: string, value: Json | undefined, amount: number): number => {
  const sum = (value ?? 0) as number;
  if (value !== undefined && !Number.isSafeInteger(value)) throw new TypeError(`record ${id} is not a counter`);
  if (!Number.isSafeInteger(amount) || !Number.isSafeInteger(sum + amount))
    throw new TypeError(`cannot add ${amount}: a counter holds whole numbers`);
  return sum + amount;
};
