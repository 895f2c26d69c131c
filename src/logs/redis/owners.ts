import type { KnownLeases } from "../../log.ts";
import type { RedisConnection } from "./connection.ts";
import { script } from "./connection.ts";
import { NOW } from "./clock.ts";
import type { Keys } from "./keys.ts";

const HEARTBEAT = script(`${NOW}
local wasAlive = tonumber(redis.call('GET', KEYS[1]) or '0') > now
local lease = tonumber(ARGV[1])
if lease > 0 then redis.call('SET', KEYS[1], string.format('%.0f', now + lease), 'PX', ARGV[1])
else redis.call('DEL', KEYS[1]) end
return wasAlive and 1 or 0
`);

const IS_ALIVE = script(`${NOW}
return tonumber(redis.call('GET', KEYS[1]) or '0') > now and 1 or 0
`);

/** Which owners are alive, by the engine's clock. */
export const openOwners = (connection: RedisConnection, keys: Keys, knownLeases: KnownLeases, ahead: () => number) => {
  return {
    async heartbeat(owner: string, leaseMs: number): Promise<boolean> {
      const lease = Math.max(0, Math.round(leaseMs));
      const renewed = knownLeases.renew(owner, lease);
      let isRepeated = false;
      const wasAlive = await connection.call<number>(HEARTBEAT, [keys.owner(owner)], (isRetry) => {
        isRepeated = isRetry;
        return [String(lease), String(ahead())];
      });
      // The reply to an earlier attempt is lost, and that attempt may have been the one after a gap.
      const isContinued = wasAlive === 1 && !isRepeated;
      renewed(isContinued);
      return isContinued;
    },
    isAlive: async (owner: string): Promise<boolean> =>
      (await connection.call<number>(IS_ALIVE, [keys.owner(owner)], [String(ahead())])) === 1,
  };
};

export type Owners = ReturnType<typeof openOwners>;
