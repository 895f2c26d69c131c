import { type Key, type Kind, type Database, DatabaseError, type Transaction } from "../database.ts";

const KINDS: readonly Kind[] = ["conversations", "messages", "entries", "uses"];
const VERSION = 1;

/** Rejects if the browser does not let this page store data, as some do in private windows. */
export const indexedDatabase = async (name: string): Promise<Database> => {
  const database = await open(name);
  const run = async <Found>(
    mode: IDBTransactionMode,
    work: (transaction: Transaction) => Promise<Found>,
  ): Promise<Found> => {
    let transaction: IDBTransaction;
    try {
      // Relaxed durability: the server still has what a crash of the machine loses.
      transaction = database.transaction(KINDS, mode, { durability: "relaxed" });
    } catch (error) {
      throw databaseError(error);
    }
    const done = new Promise<void>((resolve, reject) => {
      transaction.addEventListener("complete", () => resolve());
      transaction.addEventListener("abort", () => reject(databaseError(transaction.error)));
    });
    done.catch(() => {});
    try {
      const found = await work(createTransaction(transaction));
      await done;
      return found;
    } catch (error) {
      try {
        transaction.abort();
      } catch {
        // The transaction is already over.
      }
      throw error instanceof DOMException ? databaseError(transaction.error ?? error) : error;
    }
  };
  return { read: (work) => run("readonly", work), change: (work) => run("readwrite", work) };
};

const open = (name: string): Promise<IDBDatabase> =>
  new Promise((resolve, reject) => {
    let request: IDBOpenDBRequest;
    try {
      request = indexedDB.open(name, VERSION);
    } catch (error) {
      return reject(databaseError(error, "unavailable"));
    }
    request.addEventListener("upgradeneeded", () => {
      for (const kind of KINDS)
        if (!request.result.objectStoreNames.contains(kind)) request.result.createObjectStore(kind);
    });
    request.addEventListener("success", () => {
      // Do not block a newer page in another tab.
      request.result.addEventListener("versionchange", () => request.result.close());
      resolve(request.result);
    });
    request.addEventListener("error", () => reject(databaseError(request.error, "unavailable")));
    request.addEventListener("blocked", () => reject(databaseError(undefined, "unavailable")));
  });

const createTransaction = (transaction: IDBTransaction): Transaction => {
  const put = (request: IDBRequest): void => {
    // The transaction reports the error. Unhandled, it would also be reported to the window.
    request.addEventListener("error", (event) => event.stopPropagation());
  };
  return {
    get: (kind, key) => answer(transaction.objectStore(kind).get(key as IDBValidKey)),
    all: (kind, first) => answer(transaction.objectStore(kind).getAll(first === undefined ? null : range(first))),
    last: (kind, first) =>
      answer(transaction.objectStore(kind).openCursor(range(first), "prev")).then((cursor) => cursor?.value),
    put: (kind, key, value) => put(transaction.objectStore(kind).put(value, key as IDBValidKey)),
    remove: (kind, key: Key) => put(transaction.objectStore(kind).delete(key as IDBValidKey)),
    removeAll: (kind, first) => put(transaction.objectStore(kind).delete(range(first))),
  };
};

/** In key order, an array is greater than any string or number, so it bounds the keys that start with `first`. */
const range = (first: string): IDBKeyRange => IDBKeyRange.bound([first], [first, []]);

const answer = <Result>(request: IDBRequest<Result>): Promise<Result> =>
  new Promise((resolve, reject) => {
    request.addEventListener("success", () => resolve(request.result));
    request.addEventListener("error", () => reject(request.error));
  });

const databaseError = (error: unknown, code: DatabaseError["code"] = "failed"): DatabaseError => {
  const name = error instanceof DOMException ? error.name : "";
  if (name === "QuotaExceededError")
    return new DatabaseError("full", "The browser's storage for this page is full.", error);
  if (code === "unavailable" || name === "InvalidStateError" || name === "SecurityError")
    return new DatabaseError("unavailable", "The browser does not let this page store data.", error);
  return new DatabaseError(
    code,
    error instanceof Error ? error.message : "The browser could not save the conversation.",
    error,
  );
};
