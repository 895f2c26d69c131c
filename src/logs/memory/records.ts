import { checkRecord, type Records, recordText, sumOf } from "../../records.ts";

/** Records by kind. Each kind keeps its ids sorted. */
export const createRecords = (now: () => number): Records => {
  const kinds = new Map<string, Kind>();
  let writes = 0;

  const kindOf = (kind: string, id?: string): Kind => {
    checkRecord(kind, id);
    const found = kinds.get(kind) ?? { ids: [], kept: new Map() };
    kinds.set(kind, found);
    return found;
  };
  const find = ({ kept }: Kind, id: string): Kept | undefined => {
    const found = kept.get(id);
    return found && found.until > now() ? found : undefined;
  };
  const set = (kind: Kind, id: string, text: string, until: number) => {
    if (!kind.kept.has(id)) kind.ids.splice(placeOf(kind.ids, id), 0, id);
    kind.kept.set(id, { text, until });
    // Infrequent enough that the cost of a write does not depend on the number of records.
    if (++writes > Math.max(1000, kind.kept.size)) sweep();
  };
  const remove = (kind: Kind, id: string) => {
    kind.kept.delete(id);
    kind.ids.splice(placeOf(kind.ids, id), 1);
  };
  const sweep = () => {
    writes = 0;
    for (const kind of kinds.values()) {
      for (const [id, { until }] of kind.kept) if (until <= now()) kind.kept.delete(id);
      kind.ids = kind.ids.filter((id) => kind.kept.has(id));
    }
  };

  return {
    async put(kind, id, value, { ttlMs = Infinity, ifAbsent } = {}) {
      const records = kindOf(kind, id);
      const text = recordText(value);
      if (ifAbsent && find(records, id)) return false;
      set(records, id, text, now() + ttlMs);
      return true;
    },
    async get(kind, id) {
      const found = find(kindOf(kind, id), id);
      return found && JSON.parse(found.text);
    },
    async list(kind, { prefix = "", limit, before }) {
      const records = kindOf(kind);
      const found: { id: string; value: never }[] = [];
      const end = prefix === "" ? records.ids.length : placeOf(records.ids, `${prefix}\x7f`);
      let place = before === undefined ? end : Math.min(end, placeOf(records.ids, before));
      while (found.length < limit && --place >= 0) {
        const id = records.ids[place]!;
        if (!id.startsWith(prefix)) break;
        const kept = find(records, id);
        if (kept) found.push({ id, value: JSON.parse(kept.text) as never });
      }
      return found;
    },
    async delete(kind, id) {
      const records = kindOf(kind, id);
      const found = find(records, id);
      if (found) remove(records, id);
      return found !== undefined;
    },
    async add(kind, id, amount, { ttlMs = Infinity } = {}) {
      const records = kindOf(kind, id);
      const found = find(records, id);
      const sum = sumOf(id, found && JSON.parse(found.text), amount);
      set(records, id, String(sum), found?.until ?? now() + ttlMs);
      return sum;
    },
  };
};

interface Kind {
  ids: string[];
  readonly kept: Map<string, Kept>;
}

interface Kept {
  readonly text: string;
  readonly until: number;
}

/** The index of `id`, or where to insert it. */
const placeOf = (ids: readonly string[], id: string): number => {
  let low = 0;
  let high = ids.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ids[middle]! < id) low = middle + 1;
    else high = middle;
  }
  return low;
};
