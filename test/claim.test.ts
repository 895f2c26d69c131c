import { expect, test } from "vitest";
import { LogFenced } from "../src/log.ts";
import { memory } from "../src/logs/memory.ts";
import { createClaim } from "../src/runner/claim.ts";
import { createLease } from "../src/runner/lease.ts";

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
