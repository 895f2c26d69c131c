import { type Key, type Kind, type Shelf, ShelfError, type Visit } from "../shelf.ts";

const KINDS: readonly Kind[] = ["conversations", "messages", "entries", "uses"];
const VERSION = 1;

/** Rejects where the browser keeps nothing for this page, as some do in private windows. */
export const indexedDbShelf = async (name: string): Promise<Shelf> => {
  const database = await open(name);
  const run = async <Found>(mode: IDBTransactionMode, work: (visit: Visit) => Promise<Found>): Promise<Found> => {
    let transaction: IDBTransaction;
    try {
      // Relaxed: what a crash of the machine takes with it, the server still has.
      transaction = database.transaction(KINDS, mode, { durability: "relaxed" });
    } catch (error) {
      throw shelfError(error);
    }
    const done = new Promise<void>((resolve, reject) => {
      transaction.addEventListener("complete", () => resolve());
      transaction.addEventListener("abort", () => reject(shelfError(transaction.error)));
    });
    done.catch(() => {});
    try {
      const found = await work(createVisit(transaction));
      await done;
      return found;
    } catch (error) {
      try {
        transaction.abort();
      } catch {
        // It is over already.
      }
      throw error instanceof DOMException ? shelfError(transaction.error ?? error) : error;
    }
  };
  return { look: (work) => run("readonly", work), change: (work) => run("readwrite", work) };
};

const open = (name: string): Promise<IDBDatabase> =>
  new Promise((resolve, reject) => {
    let request: IDBOpenDBRequest;
    try {
      request = indexedDB.open(name, VERSION);
    } catch (error) {
      return reject(shelfError(error, "unavailable"));
    }
    request.addEventListener("upgradeneeded", () => {
      for (const kind of KINDS)
        if (!request.result.objectStoreNames.contains(kind)) request.result.createObjectStore(kind);
    });
    request.addEventListener("success", () => {
      // Another tab has a newer page: it must not wait for this one.
      request.result.addEventListener("versionchange", () => request.result.close());
      resolve(request.result);
    });
    request.addEventListener("error", () => reject(shelfError(request.error, "unavailable")));
    request.addEventListener("blocked", () => reject(shelfError(undefined, "unavailable")));
  });

const createVisit = (transaction: IDBTransaction): Visit => {
  const put = (request: IDBRequest): void => {
    // The transaction tells of it: an error that nobody listens to would be told to the window as well.
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

/** An array is greater than any text or number: it ends the keys that begin with `first`. */
const range = (first: string): IDBKeyRange => IDBKeyRange.bound([first], [first, []]);

const answer = <Result>(request: IDBRequest<Result>): Promise<Result> =>
  new Promise((resolve, reject) => {
    request.addEventListener("success", () => resolve(request.result));
    request.addEventListener("error", () => reject(request.error));
  });

const shelfError = (error: unknown, code: ShelfError["code"] = "failed"): ShelfError => {
  const name = error instanceof DOMException ? error.name : "";
  if (name === "QuotaExceededError")
    return new ShelfError("full", "The browser has no more room for this page.", error);
  if (code === "unavailable" || name === "InvalidStateError" || name === "SecurityError")
    return new ShelfError("unavailable", "The browser lets this page keep nothing.", error);
  return new ShelfError(code, error instanceof Error ? error.message : "The browser could not keep it.", error);
};
