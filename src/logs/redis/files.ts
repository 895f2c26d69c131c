import { randomBytes } from "node:crypto";
import { checkRunId, checkText, edges, type Log, LogMissing } from "../../log.ts";
import { NOW } from "./clock.ts";
import { type RedisConnection, script } from "./connection.ts";
import type { Keys } from "./keys.ts";

const CHUNK_BYTES = 256 * 1024;
/** How long files are kept before their run starts. */
const STRAY_MS = 3_600_000;

/** Registers a file whose bytes are stored. Makes it permanent if its run has started. Otherwise, the start does. */
const COMPLETE = script(`${NOW}
local info, files, file = unpack(KEYS)
local known = redis.call('HMGET', info, 'seq', 'dropped')
if known[2] then
  redis.call('UNLINK', file)
  return 'dropped'
end
redis.call('HSET', file, 'about', ARGV[2], 'until', string.format('%.0f', now + tonumber(ARGV[3])))
redis.call('SADD', files, ARGV[1])
if known[1] then
  redis.call('PERSIST', file)
  redis.call('PERSIST', files)
else
  redis.call('PEXPIRE', file, ARGV[3])
  redis.call('PEXPIRE', files, ARGV[3])
end
return 'kept'
`);

const ABOUT = script(`${NOW}
local found = redis.call('HMGET', KEYS[2], 'about', 'until')
if not found[1] then return false end
if redis.call('EXISTS', KEYS[1]) == 0 and tonumber(found[2]) <= now then return false end
return found[1]
`);

/** Each file is a hash with its chunks by index and its metadata. */
export const openFiles = (
  connection: RedisConnection,
  keys: Keys,
  ahead: () => number,
): Pick<Log, "put" | "get" | "discard"> => {
  async function* read(key: string, size: number, start: number, end: number): AsyncIterable<Uint8Array> {
    for (let place = start; place < Math.min(end, size);) {
      const chunk = Math.floor(place / CHUNK_BYTES);
      const bytes = await connection.command<Buffer | null>(key, ["HGET", key, String(chunk)], { bytes: true });
      if (!bytes) throw new Error("the file was removed while it was being read");
      const from = chunk * CHUNK_BYTES;
      yield bytes.subarray(place - from, end - from);
      place = from + bytes.length;
    }
  }

  return {
    async put(run, bytes, { mediaType, name }) {
      checkRunId(run);
      checkText("mediaType", mediaType ?? null);
      checkText("name", name);
      const file = randomBytes(12).toString("base64url");
      const key = keys.file(run, file);
      const kept = Buffer.from(bytes);
      for (let from = 0; from < kept.length; from += CHUNK_BYTES) {
        const chunk = kept.subarray(from, from + CHUNK_BYTES);
        await connection.command(key, ["HSET", key, String(from / CHUNK_BYTES), chunk]);
        // An unfinished put expires.
        if (from === 0) await connection.command(key, ["PEXPIRE", key, String(STRAY_MS)]);
      }
      const about = JSON.stringify({ mediaType, name, size: kept.length });
      const where = [keys.info(run), keys.files(run), key];
      const result = await connection.call(COMPLETE, where, [file, about, String(STRAY_MS), String(ahead())]);
      if (result === "dropped") throw new LogMissing(run, true);
      return { file, mediaType, bytes: kept.length, name, ...edges(kept, mediaType) };
    },

    async get(run, file, { start = 0, end = Infinity } = {}) {
      const key = keys.file(run, file);
      const about = await connection.call<string | null>(ABOUT, [keys.info(run), key], [String(ahead())]);
      if (about === null) return undefined;
      const { mediaType, name, size } = JSON.parse(about) as { mediaType: string; name?: string; size: number };
      return { mediaType, name, size, bytes: read(key, size, Math.max(0, start), Math.max(0, end)) };
    },

    async discard(run, files) {
      for (const file of files) {
        await connection.command(keys.files(run), ["SREM", keys.files(run), file]);
        await connection.command(keys.file(run, file), ["UNLINK", keys.file(run, file)]);
      }
    },
  };
};
