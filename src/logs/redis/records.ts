import { randomBytes } from "node:crypto";
import { checkRecord, type Records, recordText, type StoredRecord } from "../../records.ts";
import { NOW } from "./clock.ts";
import { type RedisConnection, script } from "./connection.ts";
import type { Keys } from "./keys.ts";

/** Shared by all scripts on one record. Stores the reply for a while, for retries by a caller that did not receive it. */
const RECORD = `${NOW}
local record, call = KEYS[1], KEYS[2]
local answered = redis.call('GET', call)
if answered then return answered end
local function answer(text)
  redis.call('SET', call, text, 'PX', 60000)
  return text
end
local found = redis.call('HMGET', record, 'value', 'until')
if found[2] and found[2] ~= '' and tonumber(found[2]) <= now then found = {false, false} end
local function write(value, life)
  redis.call('DEL', record)
  redis.call('HSET', record, 'value', value, 'until', life == '' and '' or string.format('%.0f', now + tonumber(life)))
  if life ~= '' then redis.call('PEXPIRE', record, life) end
end
`;

const PUT = script(`${RECORD}
if ARGV[3] == '1' and found[1] then return answer('0') end
write(ARGV[1], ARGV[2])
return answer('1')
`);

const ADD = script(`${RECORD}
local sum = 0
if found[1] then
  if not string.match(found[1], '^-?%d+$') then return answer('not') end
  sum = tonumber(found[1])
end
sum = sum + tonumber(ARGV[1])
if math.abs(sum) > 9007199254740991 then return answer('large') end
local text = string.format('%.0f', sum)
if found[1] then redis.call('HSET', record, 'value', text) else write(text, ARGV[2]) end
return answer(text)
`);

const DELETE = script(`${RECORD}
redis.call('DEL', record)
return answer(found[1] and '1' or '0')
`);

const GET = script(`${NOW}
local found = redis.call('HMGET', KEYS[1], 'value', 'until')
if not found[1] or found[2] ~= '' and tonumber(found[2]) <= now then return false end
return found[1]
`);

/** An id stays listed at least until its record expires. Longer is harmless, but shorter would hide the record. */
const LIST_ID = script(`${NOW}
redis.call('ZADD', KEYS[1], 0, ARGV[1])
redis.call('ZADD', KEYS[2], 'GT', ARGV[2] == '' and '+inf' or now + tonumber(ARGV[2]), ARGV[1])
`);

const UNLIST_LATER = script(`${NOW}
redis.call('ZADD', KEYS[1], 'XX', now, ARGV[1])
`);

const PAST = script(`${NOW}
return redis.call('ZRANGE', KEYS[1], '-inf', now - 60000, 'BYSCORE', 'LIMIT', 0, 200)
`);

const PAGE = 200;
const SWEEP_EVERY = 100;

/**
 * Each record is a hash in its own slot. Its id is added to its kind's list first, in the same round trip, so none is missing there.
 */
export const openRecords = (connection: RedisConnection, keys: Keys, ahead: () => number): Records => {
  const time = () => String(ahead());
  const lists = (kind: string) => [keys.records(kind), keys.recordLives(kind)];
  let writes = 0;

  const list = async (kind: string, id: string, life: string) => {
    await connection.call(LIST_ID, lists(kind), [id, life, time()]);
    if (++writes % SWEEP_EVERY === 0) await sweep(kind);
  };
  const change = (kind: string, id: string, what: ReturnType<typeof script>, values: readonly string[]) => {
    const call = randomBytes(12).toString("base64url");
    const where = [keys.record(kind, id), keys.recordCall(kind, id, call)];
    return connection.call<string>(what, where, [...values, time()]);
  };
  const get = (kind: string, id: string) => connection.call<string | null>(GET, [keys.record(kind, id)], [time()]);

  /** Removes ids of expired records from the list. Checks each one, because another process may be writing it. */
  const sweep = async (kind: string) => {
    const [ids, lives] = lists(kind) as [string, string];
    const past = await connection.call<string[]>(PAST, [lives], [time()]);
    const values = await Promise.all(past.map((id) => get(kind, id)));
    const gone = past.filter((_, place) => values[place] === null);
    if (gone.length > 0) for (const key of [ids, lives]) await connection.command(key, ["ZREM", key, ...gone]);
    const alive = past.filter((_, place) => values[place] !== null);
    for (const id of alive) await connection.command(lives, ["ZADD", lives, "+inf", id]);
  };

  return {
    async put(kind, id, value, { ttlMs, ifAbsent = false } = {}) {
      checkRecord(kind, id);
      const text = recordText(value);
      const listed = list(kind, id, lifeOf(ttlMs));
      const put = change(kind, id, PUT, [text, lifeOf(ttlMs), ifAbsent ? "1" : "0"]);
      return (await Promise.all([put, listed]))[0] === "1";
    },
    async get(kind, id) {
      checkRecord(kind, id);
      const text = await get(kind, id);
      return text === null ? undefined : JSON.parse(text);
    },
    async list(kind, { prefix = "", limit, before }) {
      checkRecord(kind);
      const [ids] = lists(kind) as [string];
      const found: StoredRecord[] = [];
      const last = prefix === "" ? "+" : `(${prefix}\x7f`;
      let edge = before !== undefined && (prefix === "" || before < `${prefix}\x7f`) ? `(${before}` : last;
      const first = prefix === "" ? "-" : `[${prefix}`;
      while (found.length < limit) {
        const page = await connection.command<string[]>(ids, [
          ...["ZRANGE", ids, edge, first, "BYLEX", "REV", "LIMIT", "0", String(PAGE)],
        ]);
        const texts = await Promise.all(page.map((id) => get(kind, id)));
        for (const [place, text] of texts.entries())
          if (text !== null && found.length < limit) found.push({ id: page[place]!, value: JSON.parse(text) });
        if (page.length < PAGE) break;
        edge = `(${page.at(-1)}`;
      }
      return found;
    },
    async delete(kind, id) {
      checkRecord(kind, id);
      const isGone = (await change(kind, id, DELETE, [])) === "1";
      await connection.call(UNLIST_LATER, [keys.recordLives(kind)], [id, time()]);
      return isGone;
    },
    async add(kind, id, amount, { ttlMs } = {}) {
      checkRecord(kind, id);
      const tooMuch = () => new TypeError(`cannot add ${amount}: a counter holds whole numbers`);
      if (!Number.isSafeInteger(amount)) throw tooMuch();
      const listed = list(kind, id, lifeOf(ttlMs));
      const [sum] = await Promise.all([change(kind, id, ADD, [String(amount), lifeOf(ttlMs)]), listed]);
      if (sum === "not") throw new TypeError(`record ${id} is not a counter`);
      if (sum === "large") throw tooMuch();
      return Number(sum);
    },
  };
};

const lifeOf = (ttlMs: number | undefined): string =>
  ttlMs === undefined || ttlMs === Infinity ? "" : String(Math.max(1, Math.round(ttlMs)));
