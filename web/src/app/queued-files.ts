const NAME = "runcast-queued-files";
const STORE = "files";

/** The files of queued messages, by id. The browser's storage keeps them across a reload, if it lets the page store data. */
const here = new Map<string, Blob>();

export const keepFile = (id: string, file: Blob): void => {
  here.set(id, file);
  void inStore("readwrite", (store) => store.put(file, id));
};

/** Undefined if the file was lost. */
export const readFile = async (id: string): Promise<Blob | undefined> => {
  const file = here.get(id) ?? (await inStore("readonly", (store) => store.get(id)));
  return file instanceof Blob ? file : undefined;
};

export const dropFile = (id: string): void => {
  here.delete(id);
  void inStore("readwrite", (store) => store.delete(id));
};

/** Resolves with undefined if the browser does not let the page store data. Files then last as long as the page. */
const inStore = (mode: IDBTransactionMode, work: (store: IDBObjectStore) => IDBRequest): Promise<unknown> =>
  new Promise((resolve) => {
    const fail = () => resolve(undefined);
    try {
      const opening = indexedDB.open(NAME, 1);
      opening.addEventListener("upgradeneeded", () => opening.result.createObjectStore(STORE));
      opening.addEventListener("error", fail);
      opening.addEventListener("blocked", fail);
      opening.addEventListener("success", () => {
        const transaction = opening.result.transaction(STORE, mode);
        const request = work(transaction.objectStore(STORE));
        const close = () => opening.result.close();
        transaction.addEventListener("complete", () => {
          resolve(request.result);
          close();
        });
        transaction.addEventListener("abort", () => {
          fail();
          close();
        });
      });
    } catch {
      fail();
    }
  });
