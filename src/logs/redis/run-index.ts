import type { RunInfo, RunQuery } from "../../log.ts";
import { NOW } from "./clock.ts";
import { type RedisConnection, script } from "./connection.ts";
import type { Keys } from "./keys.ts";

/** Shared by all scripts here. `index` is the prefix of all keys of the index, which share one slot. */
const INDEX = `
local index, run = KEYS[1], ARGV[1]
local runs, open, owners, ended, dropped = index .. ':runs', index .. ':open', index .. ':owners', index .. ':ended', index .. ':dropped'
local function by(field, value) return index .. ':' .. field .. ':' .. value end
local function member(number) return string.format('%016.0f', number) .. ':' .. run end
local function remove(number, from)
  for place = from, from + 4, 2 do
    if ARGV[place] ~= '' then redis.call('ZREM', by(ARGV[place], ARGV[place + 1]), run) end
  end
  redis.call('ZREM', ended, member(number))
  redis.call('ZREM', runs, run)
  redis.call('ZREM', open, run)
  redis.call('HDEL', owners, run)
end
`;

const START = script(`${INDEX}${NOW}
if redis.call('ZSCORE', dropped, run) then return end
local number = redis.call('ZSCORE', runs, run)
if not number then
  number = redis.call('INCR', index .. ':number')
  redis.call('ZADD', runs, number, run)
  redis.call('ZADD', open, number, run)
end
if redis.call('ZSCORE', open, run) then redis.call('HSET', owners, run, string.format('%.0f', now) .. ARGV[2]) end
for place = 3, 7, 2 do
  if ARGV[place] ~= '' then redis.call('ZADD', by(ARGV[place], ARGV[place + 1]), number, run) end
end
`);

const OWN = script(`${INDEX}${NOW}
if redis.call('ZSCORE', open, run) then redis.call('HSET', owners, run, string.format('%.0f', now) .. ARGV[2]) end
`);

const END = script(`${INDEX}
local number = redis.call('ZSCORE', runs, run)
redis.call('ZREM', open, run)
redis.call('HDEL', owners, run)
if number then redis.call('ZADD', ended, ARGV[2], member(number)) end
`);

/** Returns ids of runs that were dropped so long ago that their tombstones can be deleted. */
const DROP = script(`${INDEX}
local number = redis.call('ZSCORE', runs, run)
if not number then return {} end
remove(number, 2)
redis.call('ZADD', dropped, number, run)
local spare = redis.call('ZCARD', dropped) - tonumber(ARGV[8])
if spare <= 0 then return {} end
local old = redis.call('ZRANGE', dropped, 0, spare - 1)
redis.call('ZREMRANGEBYRANK', dropped, 0, spare - 1)
return old
`);

/** Removes a start that failed after it was indexed, if it is old enough. */
const FORGET = script(`${INDEX}${NOW}
local since = tonumber(string.match(redis.call('HGET', owners, run) or '', '^%d+'))
if since and now - since > 60000 then remove(redis.call('ZSCORE', runs, run) or 0, 2) end
`);

const NUMBER = script(`
return redis.call('ZSCORE', KEYS[1] .. ':runs', ARGV[1]) or redis.call('ZSCORE', KEYS[1] .. ':dropped', ARGV[1])
`);

const PAGE = script(`
return redis.call('ZRANGE', KEYS[1] .. ARGV[1], ARGV[2], '-inf', 'BYSCORE', 'REV', 'LIMIT', 0, ARGV[3], 'WITHSCORES')
`);

const OWNERS = script("return redis.call('HGETALL', KEYS[1] .. ':owners')");

/** Returns the next runs to drop, oldest end first. */
const LEAVING = script(`
local ended = KEYS[1] .. ':ended'
local old, all = redis.call('ZCOUNT', ended, '-inf', ARGV[1]), redis.call('ZCARD', ended)
local count = math.max(old, ARGV[2] == '' and 0 or all - tonumber(ARGV[2]))
if count <= 0 then return {} end
return redis.call('ZRANGE', ended, 0, math.min(count, 100) - 1)
`);

const MAX_TOMBSTONES = 100_000;
const PAGE_RUNS = 100;

/** Lists that span runs. They are written before or after the run itself, never atomically with it. */
export const openRunIndex = (connection: RedisConnection, keys: Keys, ahead: () => number) => {
  const at = [keys.index];
  const time = () => String(ahead());

  return {
    start: (info: RunInfo) => connection.call(START, at, [info.run, ownerText(info.owner), ...fieldsOf(info), time()]),
    own: (run: string, owner: string | undefined) => connection.call(OWN, at, [run, ownerText(owner), time()]),
    end: (run: string, endedAt: number) => connection.call(END, at, [run, String(endedAt)]),
    drop: (info: RunInfo) => connection.call<string[]>(DROP, at, [info.run, ...fieldsOf(info), String(MAX_TOMBSTONES)]),
    forget: (run: string) => connection.call(FORGET, at, [run, ...fieldsOf({}), time()]),
    leaving: (endedBefore: number, maxRuns: number) =>
      connection
        .call<string[]>(LEAVING, at, [
          endedBefore === -Infinity ? "-inf" : `(${endedBefore}`,
          maxRuns === Infinity ? "" : String(maxRuns),
        ])
        .then((members) => members.map((member) => member.slice(member.indexOf(":") + 1))),

    /** Ids of runs that may match, newest start first, in pages. */
    async *among({ before, thread, user, agent, open }: RunQuery): AsyncIterable<readonly string[]> {
      let edge = "+inf";
      if (before !== undefined) {
        const number = await connection.call<string | null>(NUMBER, at, [before]);
        if (number === null) return;
        edge = `(${number}`;
      }
      const list = listOf({ thread, user, open, agent });
      for (;;) {
        const found = await connection.call<string[]>(PAGE, at, [list, edge, String(PAGE_RUNS)]);
        if (found.length > 0) yield found.filter((_, place) => place % 2 === 0);
        if (found.length < 2 * PAGE_RUNS) return;
        edge = `(${found.at(-1)}`;
      }
    },

    /** Open runs by the last owner that the index knows. */
    async byOwner(): Promise<Map<string | undefined, string[]>> {
      const flat = await connection.call<string[]>(OWNERS, at, []);
      const runs = new Map<string | undefined, string[]>();
      for (let place = 0; place < flat.length; place += 2) {
        const owner = ownerOf(flat[place + 1]!);
        const known = runs.get(owner);
        if (known) known.push(flat[place]!);
        else runs.set(owner, [flat[place]!]);
      }
      return runs;
    },
  };
};

export type RunIndex = ReturnType<typeof openRunIndex>;

/** Follows the time in `owners`: `+` and the owner, or `-`. */
const ownerText = (owner: string | undefined) => (owner === undefined ? "-" : `+${owner}`);
const ownerOf = (text: string) => (text.includes("+") ? text.slice(text.indexOf("+") + 1) : undefined);

const fieldsOf = ({ thread, user, agent }: Partial<RunInfo>): string[] =>
  Object.entries({ thread, user, agent }).flatMap(([field, value]) =>
    value === undefined ? ["", ""] : [field, value],
  );

/** The shortest list that contains all matches. */
const listOf = ({ thread, user, open, agent }: Omit<RunQuery, "limit">): string => {
  if (thread !== undefined) return `:thread:${thread}`;
  if (user !== undefined) return `:user:${user}`;
  if (open) return ":open";
  return agent === undefined ? ":runs" : `:agent:${agent}`;
};
