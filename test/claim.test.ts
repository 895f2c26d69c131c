import { expect, onTestFinished, test, vi } from "vitest";
import type { EventType } from "../src/events.ts";
import { LogFenced } from "../src/log.ts";
import { memory } from "../src/logs/memory.ts";
import { createClaim } from "../src/runner/claim.ts";
import { createLease } from "../src/runner/lease.ts";
import type { Source } from "../src/source.ts";
import { request, setUp as setUpRunner, started, untilEvent } from "./running.ts";

const OWNER = { owner: "me", epoch: 1 };

/** A run of this process, and a lease that can expire. */
const setUp = async () => {
  const log = memory();
  await log.heartbeat("me", 60_000);
  const event = { type: "run-start", protocol: 2, run: "r", name: "test" } as const;
  await log.append("r", [{ seq: 1, at: 1, event }], OWNER);
  const lease = { term: 1 as number | undefined, renewals: 0, renew: async () => {} };
  lease.renew = async () => {
    lease.renewals++;
    lease.term = 2;
  };
  let asked = 0;
  const info = (run: string) => {
    asked++;
    return log.info(run);
  };
  return { log, lease, claim: createClaim({ info }, "r", OWNER, lease), asked: () => asked };
};

test("no request is made while the lease has certainly not expired", async () => {
  const { claim, asked, lease } = await setUp();
  await claim();
  await claim();
  expect([asked(), lease.renewals]).toEqual([0, 0]);
});

test("a process that was paused but not replaced continues, and is certain again", async () => {
  const { claim, asked, lease } = await setUp();
  lease.term = undefined;
  await claim();
  await claim();
  expect([asked(), lease.renewals]).toEqual([1, 1]);
});

test("a process that was replaced while paused does nothing more", async () => {
  const { claim, log, lease } = await setUp();
  await log.heartbeat("me", 0);
  await log.heartbeat("other", 60_000);
  expect(await log.takeOver("r", "other")).toBeDefined();
  lease.term = undefined;
  await expect(claim()).rejects.toThrow(LogFenced);
  // Renewed in time, but it had expired before.
  lease.term = 3;
  await expect(claim()).rejects.toThrow(LogFenced);
});

test("a lease whose heartbeat finds that it had expired begins a new term", async () => {
  const alive = [false, true, false];
  const heartbeat = () => alive.shift()!;
  const ignore = () => {};
  const lease = createLease({ log: { heartbeat }, leaseMs: 60_000, onLost: ignore, onProblem: ignore });
  expect(lease.term).toBeUndefined();
  const terms: unknown[] = [];
  while (alive.length > 0) {
    await lease.renew();
    terms.push(lease.term);
  }
  expect(terms[0]).toBeDefined();
  expect(terms[1]).toBe(terms[0]);
  expect(terms[2]).not.toBe(terms[1]);
});

test("renewals at the same time are one heartbeat, so that none overlooks a gap that another one finds", async () => {
  const replies: ((wasAlive: boolean) => void)[] = [];
  const heartbeat = () => new Promise<boolean>((resolve) => replies.push(resolve));
  const ignore = () => {};
  const lease = createLease({ log: { heartbeat }, leaseMs: 60_000, onLost: ignore, onProblem: ignore });
  const first = lease.renew();
  replies.pop()!(true);
  await first;
  const before = lease.term;
  const both = [lease.renew(), lease.renew()];
  // The reply to a second heartbeat could arrive first, and would say that the lease was valid.
  replies.pop()!(replies.length > 0);
  await both[1];
  expect(lease.term).not.toBe(before);
});

test("a renewal does not rely on a heartbeat that was sent long ago", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const replies: ((wasAlive: boolean) => void)[] = [];
  const heartbeat = () => new Promise<boolean>((resolve) => replies.push(resolve));
  const ignore = () => {};
  const lease = createLease({ log: { heartbeat }, leaseMs: 9000, onLost: ignore, onProblem: ignore });
  void lease.renew();
  vi.advanceTimersByTime(10_000);
  const renewed = lease.renew();
  replies.pop()!(true);
  await new Promise((tick) => setImmediate(tick));
  expect(replies).toHaveLength(1);
  replies.pop()!(true);
  await renewed;
  expect(lease.term).toBeDefined();
});

test("an id that is given up leaves no lease behind, and the next one owns nothing before its own is stored", async () => {
  vi.useFakeTimers({ toFake: ["performance", "setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  let blocked: Promise<void> | undefined;
  const stored: [owner: string, leaseMs: number][] = [];
  const heartbeat = async (owner: string, leaseMs: number) => {
    await blocked;
    stored.push([owner, leaseMs]);
    return true;
  };
  const lost: unknown[] = [];
  const lease = createLease({ log: { heartbeat }, leaseMs: 9000, onLost: (e) => lost.push(e), onProblem: () => {} });
  await lease.join();
  const first = lease.owner;
  const { promise, resolve } = Promise.withResolvers<void>();
  blocked = promise;
  vi.advanceTimersByTime(12_000);
  const second = lease.owner;
  expect([lost.length, second === first, lease.term]).toEqual([1, false, undefined]);
  stored.length = 0;
  const joined = lease.join();
  resolve();
  await joined;
  expect(stored).toContainEqual([second, 9000]);
  expect(lease.term).toBeDefined();
  await expect.poll(() => stored).toContainEqual([first, 0]);
  expect(stored.findLast(([owner]) => owner === first)).toEqual([first, 0]);
  await lease.leave();
});

test("a process leaves after its last heartbeat, which could otherwise arrive later and make it alive again", async () => {
  const sent: number[] = [];
  const replies: ((wasAlive: boolean) => void)[] = [];
  const heartbeat = (_: string, leaseMs: number) => {
    sent.push(leaseMs);
    return new Promise<boolean>((resolve) => replies.push(resolve));
  };
  const ignore = () => {};
  const lease = createLease({ log: { heartbeat }, leaseMs: 60_000, onLost: ignore, onProblem: ignore });
  const joined = lease.join();
  replies.pop()!(false);
  await joined;
  void lease.renew();
  const left = lease.leave();
  await new Promise((tick) => setImmediate(tick));
  expect(sent).toEqual([60_000, 60_000]);
  replies.pop()!(true);
  await new Promise((tick) => setImmediate(tick));
  expect(sent).toEqual([60_000, 60_000, 0]);
  replies.pop()!(true);
  await left;
});

test("a process whose last heartbeat fails does not try to reach the log again to leave", async () => {
  const sent: PromiseWithResolvers<boolean>[] = [];
  const heartbeat = () => {
    sent.push(Promise.withResolvers<boolean>());
    return sent.at(-1)!.promise;
  };
  const ignore = () => {};
  const lease = createLease({ log: { heartbeat }, leaseMs: 60_000, onLost: ignore, onProblem: ignore });
  const joined = lease.join();
  sent[0]!.resolve(true);
  await joined;
  lease.renew().catch(ignore);
  const left = lease.leave();
  await new Promise((tick) => setImmediate(tick));
  sent[1]!.reject(new Error("unreachable"));
  await left;
  expect(sent).toHaveLength(2);
});

/** A process that is paused for longer than its lease, and replaced, right after it stored an event of this type. */
const replacedAfter = (type: EventType) => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  let now = 0;
  const log = memory({ now: () => now });
  const append: typeof log.append = async (run, entries, as) => {
    await log.append(run, entries, as);
    if (!entries.some(({ event }) => event.type === type)) return;
    now += 60_000;
    vi.advanceTimersByTime(60_000);
    await log.heartbeat("other", 60_000);
    expect(await log.takeOver(run, "other")).toBeDefined();
  };
  return setUpRunner({ log: { ...log, append } });
};

test("a replaced process runs no call", async () => {
  const { runner } = replacedAfter("tool-execute");
  const called = Promise.withResolvers<string>();
  const source: Source = async function* (_, { stored }) {
    yield* started;
    // The agent runs a tool after this.
    called.resolve(
      await stored().then(
        () => "runs",
        (error: unknown) => (error instanceof LogFenced ? "replaced" : String(error)),
      ),
    );
  };
  await runner.start(request, { name: "test", source });
  expect(await called.promise).toBe("replaced");
});

test("a replaced process acts on no answer", async () => {
  const { runner, log } = replacedAfter("ask-end");
  const heard = Promise.withResolvers<string>();
  const source: Source = async function* (_, { answerTo }) {
    yield { type: "ask-start", ask: "a", kind: "confirmation" };
    heard.resolve((await answerTo("a")).outcome);
  };
  const { run } = await runner.start(request, { name: "test", source });
  await untilEvent(log, run, ({ type }) => type === "ask-start");
  void runner.answer(run, "a", { allow: true }).catch(() => {});
  expect(await heard.promise).toBe("cancelled");
});
