import { script } from "./connection.ts";

/** Adds entries as chunks. A chunk's id in the stream is `<last seq>-<number of entries>`. */
export const APPEND = script(`
local info, entries, controls, ids, files = unpack(KEYS)
local first, last, hasOwner, owner, epoch, isRetry, endedAt, outcome, channel, message, file, fields =
  tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3] == '1', ARGV[4], ARGV[5], ARGV[6] == '1', ARGV[7], ARGV[8], ARGV[9], ARGV[10],
  ARGV[11], tonumber(ARGV[12])
local known = redis.call('HMGET', info, 'seq', 'owner', 'epoch', 'dropped')
local seq = tonumber(known[1] or '0')
if known[4] then return {'dropped', seq} end
if known[1] then
  local isMine = known[3] == epoch and (hasOwner and known[2] == owner or not hasOwner and not known[2])
  if not isMine then return {'fenced', seq, known[2], known[3]} end
end
if first ~= seq + 1 then
  if isRetry and seq == last then
    local stored = redis.call('XREVRANGE', entries, '+', '-', 'COUNT', 1)
    if stored[1] and stored[1][2][2] == ARGV[#ARGV] then return {'stored', seq} end
  end
  return {'conflict', seq}
end
if not known[1] then
  if hasOwner and epoch ~= '1' then return {'fenced', 0, false, '0'} end
  for place = 13, 12 + fields, 2 do redis.call('HSET', info, ARGV[place], ARGV[place + 1]) end
  redis.call('PERSIST', files)
  for _, id in ipairs(redis.call('SMEMBERS', files)) do redis.call('PERSIST', file .. id) end
end
for place = 13 + fields, #ARGV, 2 do redis.call('XADD', entries, ARGV[place], 'e', ARGV[place + 1]) end
redis.call('HSET', info, 'seq', last)
if endedAt ~= '' then
  redis.call('HSET', info, 'endedAt', endedAt, 'outcome', outcome)
  redis.call('UNLINK', controls, ids)
  redis.call('PUBLISH', channel, message)
end
return {'stored', last}
`);

/** Adds one chunk to each of many runs that exist, and publishes a message. Returns 1 for each that was added. */
export const EXTEND = script(`
local channel, message = unpack(ARGV, 1, 2)
local added = {}
for place = 1, #KEYS / 2 do
  local info, entries = KEYS[2 * place - 1], KEYS[2 * place]
  local first, last, owner, epoch, text = unpack(ARGV, 5 * place - 2, 5 * place + 2)
  local known = redis.call('HMGET', info, 'seq', 'owner', 'epoch', 'dropped')
  local isMine = known[1] and not known[4] and known[3] == epoch and (known[2] or '') == owner
  added[place] = 0
  if isMine and tonumber(first) == tonumber(known[1]) + 1 then
    redis.call('XADD', entries, string.format('%s-%d', last, last - first + 1), 'e', text)
    redis.call('HSET', info, 'seq', last)
    added[place] = 1
  end
end
redis.call('PUBLISH', channel, message)
return added
`);

/** Returns the chunks with entries after a seq. */
export const READ = script(`
local known = redis.call('HMGET', KEYS[1], 'seq', 'dropped')
if not known[1] then return {'unknown'} end
if known[2] then return {'dropped'} end
local after, limit = tonumber(ARGV[1]), tonumber(ARGV[2])
local found, place = {'stored', known[1]}, after
repeat
  local page = redis.call('XRANGE', KEYS[2], string.format('%.0f-0', place + 1), '+', 'COUNT', 32)
  for _, chunk in ipairs(page) do
    place = tonumber(string.match(chunk[1], '^%d+'))
    found[#found + 1] = chunk[2][2]
    if place - after >= limit then return found end
  end
until #page < 32
return found
`);

export const TAKE_OVER = script(`
local known = redis.call('HMGET', KEYS[1], 'seq', 'epoch', 'endedAt', 'dropped', 'owner')
if not known[1] or known[3] or known[4] then return false end
local isRepeated = ARGV[3] == '1' and known[5] == ARGV[2] and tonumber(known[2]) == tonumber(ARGV[1]) + 1
if isRepeated then return {tonumber(known[2]), tonumber(known[1])} end
if known[2] ~= ARGV[1] then return false end
local epoch = redis.call('HINCRBY', KEYS[1], 'epoch', 1)
redis.call('HSET', KEYS[1], 'owner', ARGV[2])
return {epoch, tonumber(known[1])}
`);

export const RELEASE = script(`
local known = redis.call('HMGET', KEYS[1], 'owner', 'epoch', 'endedAt', 'dropped')
if known[1] ~= ARGV[1] or known[2] ~= ARGV[2] or known[3] or known[4] then return 0 end
redis.call('HINCRBY', KEYS[1], 'epoch', 1)
return redis.call('HDEL', KEYS[1], 'owner')
`);

export const SEND = script(`
local info, controls, ids = unpack(KEYS)
local known = redis.call('HMGET', info, 'seq', 'endedAt', 'dropped')
if not known[1] then return 'unknown' end
if known[3] then return 'dropped' end
if known[2] then return 'ended' end
if redis.call('SISMEMBER', ids, ARGV[1]) == 1 then return 'queued' end
if redis.call('SCARD', ids) >= tonumber(ARGV[3]) then return 'full' end
redis.call('SADD', ids, ARGV[1])
redis.call('RPUSH', controls, ARGV[2])
redis.call('PUBLISH', ARGV[4], ARGV[5])
return 'queued'
`);

export const DROP = script(`
local info, entries, controls, ids, files = unpack(KEYS)
local known = redis.call('HMGET', info, 'seq', 'endedAt', 'dropped')
if not known[1] then return 'unknown' end
if known[3] then return 'dropped' end
if not known[2] then return 'open' end
redis.call('HSET', info, 'dropped', 1)
for _, id in ipairs(redis.call('SMEMBERS', files)) do redis.call('UNLINK', ARGV[1] .. id) end
redis.call('UNLINK', entries, controls, ids, files)
return 'gone'
`);
