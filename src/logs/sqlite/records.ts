import { checkRecord, type Records, recordText, sumOf } from "../../records.ts";
import type { Database } from "./database.ts";

export const openRecords = (
  { sql }: Database,
  now: () => number,
  explained: <Result>(work: () => Result) => Result,
) => {
  const insert = sql.prepare(
    `INSERT INTO records (kind, id, value, until) VALUES (?, ?, ?, ?)
     ON CONFLICT (kind, id) DO UPDATE SET value = excluded.value, until = excluded.until WHERE ? OR until <= ?`,
  );
  const alive = "(until IS NULL OR until > ?)";
  const select = sql.prepare(`SELECT value, until FROM records WHERE kind = ? AND id = ? AND ${alive}`);
  const page = sql.prepare(
    `SELECT id, value FROM records WHERE kind = ? AND id >= ? AND id < ? AND ${alive} ORDER BY id DESC LIMIT ?`,
  );
  const remove = sql.prepare(`DELETE FROM records WHERE kind = ? AND id = ? AND ${alive}`);
  const sweep = sql.prepare("DELETE FROM records WHERE until <= ?");
  let writes = 0;
  sweep.run(now());

  const set = (kind: string, id: string, text: string, until: number | null, replace: boolean): boolean => {
    if (++writes % SWEEP_EVERY === 0) sweep.run(now());
    return Number(insert.run(kind, id, text, until, Number(replace), now()).changes) > 0;
  };
  const find = (kind: string, id: string) => {
    const row = select.get(kind, id, now());
    return row && { value: JSON.parse(row.value as string), until: row.until as number | null };
  };
  const untilOf = (ttlMs: number | undefined) => (ttlMs === undefined ? null : Math.ceil(now() + ttlMs));

  const records: Records = {
    async put(kind, id, value, { ttlMs, ifAbsent = false } = {}) {
      checkRecord(kind, id);
      const text = recordText(value);
      return explained(() => set(kind, id, text, untilOf(ttlMs), !ifAbsent));
    },
    async get(kind, id) {
      checkRecord(kind, id);
      return explained(() => find(kind, id)?.value);
    },
    async list(kind, { prefix = "", limit, before }) {
      checkRecord(kind);
      // Sorts after every character that an id may contain.
      const end = `${prefix}\x7f`;
      const edge = before === undefined || before > end ? end : before;
      const rows = explained(() => page.all(kind, prefix, edge, now(), limit));
      return rows.map(({ id, value }) => ({ id: id as string, value: JSON.parse(value as string) }));
    },
    async delete(kind, id) {
      checkRecord(kind, id);
      return explained(() => Number(remove.run(kind, id, now()).changes) > 0);
    },
    async add(kind, id, amount, { ttlMs } = {}) {
      checkRecord(kind, id);
      return explained(() => {
        const found = find(kind, id);
        const sum = sumOf(id, found?.value, amount);
        set(kind, id, String(sum), found ? found.until : untilOf(ttlMs), true);
        return sum;
      });
    },
  };
  return records;
};

const SWEEP_EVERY = 1000;
