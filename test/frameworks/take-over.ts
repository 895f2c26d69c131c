import { expect } from "vitest";
import type { Event } from "../../src/events.ts";
import type { Log } from "../../src/log.ts";
import { memory } from "../../src/logs/memory.ts";
import { createRunner } from "../../src/runner.ts";
import type { Source } from "../../src/source.ts";
import { setUp, untilEvent } from "../running.ts";

const never = new Promise<never>(() => {});

/** Starts a run in a process that stops silently when such an event is stored, and continues it in another process. */
export const takenOver = async (source: Source, prompt: string, isReached: (event: Event) => boolean) => {
  let now = 0;
  const log = memory({ now: () => now });
  const agent = { name: "framework", source };
  const messages = [{ role: "user" as const, content: [{ type: "text" as const, text: prompt }] }];
  // Not closed after the test, because its log never responds again.
  const { run } = await createRunner({ log: dyingAt(log, isReached) }).start({ messages }, agent);
  await untilEvent(log, run, isReached);
  now += 60_000;
  const { runner } = setUp({ log, findAgent: () => agent });
  expect(await runner.recover()).toBe(1);
  return { log, run, runner };
};

/** The log as a process sees it that dies with this event: nothing is stored after it, and no request is answered. */
const dyingAt = (inner: Log, isReached: (event: Event) => boolean): Log => {
  let isDead = false;
  return {
    ...inner,
    append(run, entries, as) {
      if (isDead) return never;
      const last = entries.findIndex(({ event }) => isReached(event));
      if (last < 0) return inner.append(run, entries, as);
      isDead = true;
      void inner.append(run, entries.slice(0, last + 1), as);
      return never;
    },
    read: (run, after, limit) => (isDead ? never : inner.read(run, after, limit)),
    takeOver: (run, owner) => (isDead ? never : inner.takeOver(run, owner)),
    heartbeat: (owner, leaseMs) => (isDead ? never : inner.heartbeat(owner, leaseMs)),
    orphans: (limit) => (isDead ? never : inner.orphans(limit)),
  };
};
