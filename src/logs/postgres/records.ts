import { randomBytes } from "node:crypto";
import { checkRecord, type Records, recordText } from "../../records.ts";
import type { PostgresConnection } from "./connection.ts";

const SWEEP_EVERY = 500;

export const openRecords = (connection: PostgresConnection, schema: string, ahead: () => number): Records => {
  let writes = 0;

  const change = async (kind: string, id: string, what: string, value: string | null, ttlMs?: number) => {
    const call = randomBytes(12).toString("base64url");
    const life = ttlMs === undefined || ttlMs === Infinity ? null : ttlMs;
    const [row] = await connection.query<{ answer: string }>(
      `SELECT ${schema}.change($1, $2, $3, $4, $5, $6, $7) AS answer`,
      [call, kind, id, what, value, life, ahead()],
    );
    if (++writes % SWEEP_EVERY === 0) await sweep();
    return row!.answer;
  };
  /** Deletes expired records, a limited number at a time. Skips rows that another process has locked. */
  const sweep = async () => {
    await connection.query(
      `DELETE FROM ${schema}.records WHERE ctid IN (SELECT ctid FROM ${schema}.records
       WHERE until <= ${schema}.now_ahead($1) LIMIT 1000 FOR UPDATE SKIP LOCKED)`,
      [ahead()],
    );
    await connection.query(`DELETE FROM ${schema}.calls WHERE at < clock_timestamp() - interval '2 minutes'`, []);
  };
  const alive = (parameter: string) => `(until IS NULL OR until > ${schema}.now_ahead(${parameter}))`;

  return {
    async put(kind, id, value, { ttlMs, ifAbsent } = {}) {
      checkRecord(kind, id);
      return (await change(kind, id, ifAbsent ? "put-if-absent" : "put", recordText(value), ttlMs)) === "1";
    },
    async get(kind, id) {
      checkRecord(kind, id);
      const [row] = await connection.query<{ value: string }>(
        `SELECT value FROM ${schema}.records WHERE kind = $1 AND id = $2 AND ${alive("$3")}`,
        [kind, id, ahead()],
      );
      return row && JSON.parse(row.value);
    },
    async list(kind, { prefix = "", limit, before }) {
      checkRecord(kind);
      const rows = await connection.query<{ id: string; value: string }>(
        `SELECT id, value FROM ${schema}.records WHERE kind = $1 AND ${alive("$2")} AND id >= $3
         AND ($4::text IS NULL OR id < $4) AND ($5::text IS NULL OR id < $5) ORDER BY id DESC LIMIT $6`,
        [kind, ahead(), prefix, prefix === "" ? null : `${prefix}\x7f`, before ?? null, limit],
      );
      return rows.map(({ id, value }) => ({ id, value: JSON.parse(value) }));
    },
    async delete(kind, id) {
      checkRecord(kind, id);
      return (await change(kind, id, "delete", null)) === "1";
    },
    async add(kind, id, amount, { ttlMs } = {}) {
      checkRecord(kind, id);
      const tooMuch = () => new TypeError(`cannot add ${amount}: a counter holds whole numbers`);
      if (!Number.isSafeInteger(amount)) throw tooMuch();
      const sum = await change(kind, id, "add", String(amount), ttlMs);
      if (sum === "not") throw new TypeError(`record ${id} is not a counter`);
      if (sum === "large") throw tooMuch();
      return Number(sum);
    },
  };
};
