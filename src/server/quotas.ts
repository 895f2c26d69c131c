import type { Entry } from "../events.ts";
import type { Log } from "../log.ts";
import { createDailySums } from "./daily-sums.ts";
import type { Limits } from "./limits.ts";

/** Limits how much runs may store per day: per user, and in total. */
export interface Quotas {
  /** The same log, with everything that is stored in it counted. */
  readonly log: Log;
  /** Throws a Refusal if the user, or all users together, reached the daily limit. */
  check(user: string | undefined): Promise<void>;
  /** Attributes the bytes of a run that has not started to the user. */
  claim(run: string, user: string | undefined): void;
  /** Stores pending counts. */
  close(): Promise<void>;
}

/** A claimed run that has not started by then never will. */
const START_MS = 60_000;

export const createQuotas = (
  log: Log,
  { userBytesPerDay, bytesPerDay }: Pick<Limits, "userBytesPerDay" | "bytesPerDay">,
  onError: (error: unknown) => void,
  now = Date.now,
): Quotas => {
  const sums = createDailySums(log.records, {
    kind: "stored-bytes",
    code: "quota",
    maxPerUser: userBytesPerDay,
    most: bytesPerDay,
    settings: { user: "userBytesPerDay", all: "bytesPerDay" },
    limitText: (limit) => `have reached the daily limit of ${limit} bytes`,
    onError,
    now,
  });
  const users = new Map<string, string | undefined>();
  const claimed = new Map<string, NodeJS.Timeout>();
  /** Runs that another process started, while their user is being read. */
  const unknown = new Map<string, { bytes: number; hasEnded: boolean; readonly read: Promise<void> }>();

  const readUser = async (run: string): Promise<void> => {
    const info = await Promise.resolve(log.info(run)).catch(onError);
    const { bytes, hasEnded } = unknown.get(run)!;
    unknown.delete(run);
    sums.add(info?.user, bytes);
    if (!hasEnded) users.set(run, info?.user);
  };
  const count = (run: string, bytes: number): void => {
    const waiting = unknown.get(run);
    if (waiting) waiting.bytes += bytes;
    else if (users.has(run)) sums.add(users.get(run), bytes);
    else unknown.set(run, { bytes, hasEnded: false, read: readUser(run) });
  };
  const start = (run: string, user: string | undefined): void => {
    clearTimeout(claimed.get(run));
    claimed.delete(run);
    users.set(run, user);
  };
  const note = (run: string, entries: readonly Entry[]): void => {
    let bytes = 0;
    let hasEnded = false;
    for (const { event } of entries) {
      bytes += "delta" in event ? 96 + event.delta.length : 48 + JSON.stringify(event).length;
      if (event.type === "run-start") start(run, event.user?.id);
      else if (event.type === "run-end") hasEnded = true;
    }
    count(run, bytes);
    if (!hasEnded) return;
    users.delete(run);
    const waiting = unknown.get(run);
    if (waiting) waiting.hasEnded = true;
  };

  return {
    log: {
      ...log,
      append: (run, entries, as) => {
        const stored = log.append(run, entries, as);
        note(run, entries);
        return stored;
      },
      put: async (run, bytes, file) => {
        const ref = await log.put(run, bytes, file);
        count(run, bytes.length);
        return ref;
      },
    },
    check: sums.check,
    claim: (run, user) => {
      start(run, user);
      const forget = () => {
        claimed.delete(run);
        users.delete(run);
      };
      claimed.set(run, setTimeout(forget, START_MS).unref());
    },
    close: async () => {
      for (const timer of claimed.values()) clearTimeout(timer);
      await Promise.all([...unknown.values()].map(({ read }) => read));
      await sums.close();
    },
  };
};
