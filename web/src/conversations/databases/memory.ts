import type { Key, Kind, Database, Transaction } from "../database.ts";

/** Lasts as long as the tab. Used if the browser cannot store data. */
export const memoryDatabase = (): Database => {
  const kinds = new Map<Kind, Map<string, { readonly key: Key; readonly value: unknown }>>();
  let queue: Promise<unknown> = Promise.resolve();

  const change = <Found>(work: (transaction: Transaction) => Promise<Found>): Promise<Found> => {
    const done = queue.then(async () => {
      const puts: (() => void)[] = [];
      const found = await work(createVisit(kinds, puts));
      for (const put of puts) put();
      return found;
    });
    queue = done.catch(() => {});
    return done;
  };
  return { read: change, change };
};

type Records = Map<Kind, Map<string, { readonly key: Key; readonly value: unknown }>>;

const createVisit = (kinds: Records, puts: (() => void)[]): Transaction => {
  const records = (kind: Kind) => {
    let found = kinds.get(kind);
    if (!found) kinds.set(kind, (found = new Map()));
    return found;
  };
  const all = (kind: Kind, first?: string): { key: Key; value: unknown }[] =>
    [...records(kind).values()]
      .filter(({ key }) => first === undefined || (Array.isArray(key) && key[0] === first))
      .sort((one, other) => compare(one.key, other.key));
  return {
    get: async (kind, key) => structuredClone(records(kind).get(JSON.stringify(key))?.value),
    all: async (kind, first) => structuredClone(all(kind, first).map(({ value }) => value)),
    last: async (kind, first) => structuredClone(all(kind, first).at(-1)?.value),
    put: (kind, key, value) => {
      const kept = structuredClone(value);
      puts.push(() => records(kind).set(JSON.stringify(key), { key, value: kept }));
    },
    remove: (kind, key) => void puts.push(() => records(kind).delete(JSON.stringify(key))),
    removeAll: (kind, first) =>
      void puts.push(() => {
        for (const { key } of all(kind, first)) records(kind).delete(JSON.stringify(key));
      }),
  };
};

/** IndexedDB's key order: numbers by value, before strings. */
const compare = (one: Key, other: Key): number => {
  if (typeof one === "string" || typeof other === "string") return one < other ? -1 : one > other ? 1 : 0;
  if (one[0] !== other[0]) return one[0] < other[0] ? -1 : 1;
  const [first, second] = [one[1], other[1]];
  if (typeof first !== typeof second) return typeof first === "number" ? -1 : 1;
  return first < second ? -1 : first > second ? 1 : 0;
};
