import { expect, test } from "vitest";
import { LogConflict, LogFenced, type Ownership } from "../../src/log.ts";
import { eachLog } from "./each-log.ts";
import { endEntry, startEntry, textEntries } from "./run-entries.ts";

eachLog("owners", (opened) => {
  const { leaseMs, pass } = opened.variant;
  const ada: Ownership = { owner: "ada", epoch: 1 };
  const orphans = async () => (await opened.other.orphans(100)).map(({ run }) => run).sort();
  /** A run owned by ada, who is alive. */
  const begin = async (run = "a") => {
    await opened.one.heartbeat("ada", leaseMs);
    await opened.one.append(run, [startEntry(run)], ada);
  };
  const alive = () => opened.other.heartbeat("bob", leaseMs);
  const failed = (work: void | Promise<void>) => Promise.resolve(work).catch((error: unknown) => error);

  test("the first append sets the owner, who continues", async () => {
    await begin();
    expect(await opened.other.info("a")).toMatchObject({ owner: "ada", epoch: 1, seq: 1 });
    await opened.one.append("a", textEntries(2, 2), ada);
    expect(await opened.other.info("a")).toMatchObject({ owner: "ada", epoch: 1, seq: 3 });
    expect(await opened.other.list({ limit: 5 })).toMatchObject([{ run: "a", owner: "ada", epoch: 1 }]);
  });

  test("two processes start a run once", async () => {
    const bob = { owner: "bob", epoch: 1 };
    const results = await Promise.all([
      failed(opened.one.append("a", [startEntry("a")], ada)),
      failed(opened.other.append("a", [startEntry("a"), ...textEntries(2, 1)], bob)),
    ]);
    const lost = results.filter((result) => result !== undefined);
    expect(lost).toEqual([expect.any(LogConflict)]);
    const winner = results[0] === undefined ? ada : bob;
    expect(await opened.one.info("a")).toMatchObject({ owner: winner.owner, seq: winner === ada ? 1 : 2 });
  });

  test("a first append must have the first epoch", async () => {
    await expect(opened.one.append("a", [startEntry("a")], { owner: "ada", epoch: 2 })).rejects.toThrow(LogFenced);
    expect(await opened.one.info("a")).toBeUndefined();
  });

  test("a run with a live owner cannot be taken over", async () => {
    await begin();
    await alive();
    expect(await opened.other.takeOver("a", "bob")).toBeUndefined();
    expect(await orphans()).toEqual([]);
    expect(await opened.one.info("a")).toMatchObject(ada);
    await opened.one.append("a", textEntries(2, 1), ada);
  });

  test("a run whose owner's lease has expired can be taken over, and the old owner cannot write anymore", async () => {
    await begin();
    await opened.one.append("a", textEntries(2, 3), ada);
    await pass(leaseMs);
    await alive();
    expect(await orphans()).toEqual(["a"]);
    const bob = await opened.other.takeOver("a", "bob");
    expect(bob).toEqual({ owner: "bob", epoch: 2, seq: 4 });
    expect(await orphans()).toEqual([]);
    for (const seq of [1, 5, 9]) {
      const error = await failed(opened.one.append("a", textEntries(seq, 1), ada));
      expect(error).toBeInstanceOf(LogFenced);
      expect(error).toMatchObject({ owner: "bob", epoch: 2, message: expect.stringContaining("bob owns it") });
    }
    await expect(opened.one.append("a", [endEntry(5)])).rejects.toThrow(LogFenced);
    await opened.other.append("a", textEntries(5, 1), bob);
    expect(await opened.one.read("a", 0, 100)).toEqual([startEntry("a"), ...textEntries(2, 4)]);
    expect(await opened.one.info("a")).toMatchObject({ owner: "bob", epoch: 2, seq: 5 });
  });

  test("of appends at the same moment, each is stored or rejected on its own", async () => {
    for (const run of ["a", "b", "c", "d"]) await begin(run);
    await opened.one.release("b", ada);
    const results = await Promise.all([
      failed(opened.one.append("a", textEntries(2, 1), ada)),
      failed(opened.one.append("b", textEntries(2, 1), ada)),
      failed(opened.one.append("c", textEntries(3, 1), ada)),
      failed(opened.one.append("d", textEntries(2, 2), ada)),
    ]);
    expect(results).toEqual([undefined, expect.any(LogFenced), expect.any(LogConflict), undefined]);
    expect(results[2]).not.toBeInstanceOf(LogFenced);
    const seqs = await Promise.all(["a", "b", "c", "d"].map(async (run) => (await opened.other.info(run))?.seq));
    expect(seqs).toEqual([2, 1, 1, 3]);
    expect(await opened.other.read("d", 0, 10)).toEqual([startEntry("d"), ...textEntries(2, 2)]);
  });

  test("a replaced owner can read what was stored since", async () => {
    await begin();
    await opened.one.append("a", textEntries(2, 1), ada);
    expect(await opened.one.read("a", 2, 100)).toEqual([]);
    await pass(leaseMs);
    await alive();
    const bob = await opened.other.takeOver("a", "bob");
    await opened.other.append("a", textEntries(3, 2), bob);
    expect(await opened.one.read("a", 1, 100)).toEqual(textEntries(2, 3));
  });

  test("so can one that was paused and renewed its lease since", async () => {
    await begin();
    await opened.one.append("a", textEntries(2, 1), ada);
    await pass(leaseMs);
    await alive();
    const bob = await opened.other.takeOver("a", "bob");
    await opened.other.append("a", textEntries(3, 2), bob);
    for (const wasAlive of [false, true]) {
      expect(await opened.one.heartbeat("ada", leaseMs)).toBe(wasAlive);
      expect(await opened.one.read("a", 1, 100)).toEqual(textEntries(2, 3));
    }
  });

  test("so can one that still wrote while it released the run", async () => {
    await begin();
    const released = opened.one.release("a", ada);
    const late = await failed(opened.one.append("a", textEntries(2, 1), ada));
    await released;
    await alive();
    const bob = await opened.other.takeOver("a", "bob");
    expect(bob).toMatchObject({ epoch: 3, seq: late ? 1 : 2 });
    await opened.other.append("a", textEntries(bob!.seq + 1, 2), bob);
    expect(await opened.one.read("a", 1, 100)).toEqual(textEntries(2, bob!.seq + 1));
    expect(await opened.one.read("a", bob!.seq, 100)).toEqual(textEntries(bob!.seq + 1, 2));
  });

  test("an owner that was late but not replaced continues", async () => {
    await begin();
    await pass(leaseMs);
    await opened.one.append("a", textEntries(2, 1), ada);
    expect(await opened.one.heartbeat("ada", leaseMs)).toBe(false);
    expect(await opened.one.heartbeat("ada", leaseMs)).toBe(true);
    await alive();
    expect(await opened.other.takeOver("a", "bob")).toBeUndefined();
    await opened.one.append("a", textEntries(3, 1), ada);
  });

  test("heartbeats keep an owner alive beyond its first lease", async () => {
    await begin();
    for (let beat = 0; beat < 4; beat++) {
      await pass(leaseMs / 2);
      expect(await opened.one.heartbeat("ada", leaseMs)).toBe(true);
    }
    await alive();
    expect(await opened.other.takeOver("a", "bob")).toBeUndefined();
  });

  test("an owner that leaves releases its runs immediately", async () => {
    await begin("a");
    await begin("b");
    await opened.one.heartbeat("ada", 0);
    await alive();
    expect(await orphans()).toEqual(["a", "b"]);
    expect(await opened.other.orphans(1)).toHaveLength(1);
    expect(await opened.other.takeOver("a", "bob")).toMatchObject({ epoch: 2 });
    expect(await orphans()).toEqual(["b"]);
  });

  test("of many concurrent takeovers, one succeeds", async () => {
    await begin();
    await pass(leaseMs);
    const owners = Array.from({ length: 20 }, (_, index) => `owner-${index}`);
    for (const owner of owners) await opened.one.heartbeat(owner, leaseMs);
    const taken = await Promise.all(
      owners.map((owner, index) => (index % 2 ? opened.one : opened.other).takeOver("a", owner)),
    );
    const winners = taken.filter((takeover) => takeover !== undefined);
    expect(winners).toEqual([{ owner: expect.any(String), epoch: 2, seq: 1 }]);
    expect(await opened.one.info("a")).toMatchObject({ owner: winners[0]!.owner, epoch: 2 });
  });

  test("an append in progress and a takeover are serialized", async () => {
    await begin();
    await pass(leaseMs);
    await alive();
    const appending = failed(opened.one.append("a", textEntries(2, 2), ada));
    const bob = await opened.other.takeOver("a", "bob");
    const stored = (await appending) === undefined;
    expect(bob).toEqual({ owner: "bob", epoch: 2, seq: stored ? 3 : 1 });
    await opened.other.append("a", textEntries(bob!.seq + 1, 1), bob);
    expect(await opened.one.read("a", 0, 9)).toHaveLength(bob!.seq + 1);
  });

  test("an owner may take over its own run again, and fences itself", async () => {
    await begin();
    const again = await opened.one.takeOver("a", "ada");
    expect(again).toEqual({ owner: "ada", epoch: 2, seq: 1 });
    await expect(opened.one.append("a", textEntries(2, 1), ada)).rejects.toThrow(LogFenced);
    await opened.one.append("a", textEntries(2, 1), again);
  });

  test("a released run has no owner until it is taken over", async () => {
    await begin();
    await alive();
    await opened.one.release("a", ada);
    expect((await opened.other.info("a"))?.owner).toBeUndefined();
    expect(await orphans()).toEqual(["a"]);
    await expect(opened.one.append("a", textEntries(2, 1), ada)).rejects.toThrow(/no process owns it/);
    await expect(opened.one.append("a", textEntries(2, 1))).rejects.toThrow(LogFenced);
    const bob = await opened.other.takeOver("a", "bob");
    await opened.one.release("a", ada);
    expect(await opened.other.info("a")).toMatchObject({ owner: "bob", epoch: bob!.epoch });
    expect(bob!.epoch).toBeGreaterThan(2);
    await opened.other.append("a", textEntries(2, 1), bob);
  });

  test("a run that never had an owner is an orphan, and writers without an owner can write it until it is taken over", async () => {
    await opened.one.append("a", [startEntry("a")]);
    await alive();
    expect(await opened.one.info("a")).toMatchObject({ epoch: 0 });
    expect(await orphans()).toEqual(["a"]);
    await opened.one.append("a", textEntries(2, 1));
    await expect(opened.one.append("a", textEntries(3, 1), ada)).rejects.toThrow(LogFenced);
    expect(await opened.other.takeOver("a", "bob")).toEqual({ owner: "bob", epoch: 1, seq: 2 });
    await expect(opened.one.append("a", textEntries(3, 1))).rejects.toThrow(LogFenced);
  });

  test("a run that does not exist, has ended or was dropped cannot be taken over", async () => {
    await begin();
    await opened.one.append("a", [endEntry(2)], ada);
    await pass(leaseMs);
    await alive();
    for (const run of ["a", "never", "../a"]) expect(await opened.other.takeOver(run, "bob")).toBeUndefined();
    expect(await orphans()).toEqual([]);
    await opened.one.drop("a");
    await opened.one.release("a", ada);
    expect(await opened.other.takeOver("a", "bob")).toBeUndefined();
    expect(await opened.other.info("a")).toMatchObject({ dropped: true, owner: "ada", epoch: 1 });
  });

  if (!opened.variant.durable) return;

  test("owner and epoch outlive the process, but an owner does not outlive its lease", async () => {
    await begin();
    await opened.one.release("a", ada);
    const second = await opened.one.takeOver("a", "ada");
    await opened.one.append("a", textEntries(2, 1), second);
    await opened.reopen();
    expect(await opened.one.info("a")).toMatchObject({ owner: "ada", epoch: second!.epoch, seq: 2 });
    await pass(leaseMs);
    await alive();
    expect(await orphans()).toEqual(["a"]);
    await expect(opened.one.append("a", textEntries(3, 1), ada)).rejects.toThrow(LogFenced);
    const bob = await opened.other.takeOver("a", "bob");
    expect(bob).toEqual({ owner: "bob", epoch: second!.epoch + 1, seq: 2 });
    await opened.other.append("a", [endEntry(3)], bob);
  });
});
