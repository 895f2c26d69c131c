import { expect, test, vi } from "vitest";
import { type Control, LogMissing, MAX_CONTROLS } from "../../src/log.ts";
import { eachLog } from "./each-log.ts";
import { endEntry, startEntry, textEntries } from "./run-entries.ts";

eachLog("controls", (opened) => {
  const cancel = (id: string): Control => ({ id, kind: "cancel", by: "ada", call: "c-1", reason: "é🙂" });
  const answer = (id: string): Control => ({ id, kind: "answer", ask: "ask-1", answer: { allow: true } });
  const ids = async (run = "a", after = 0, limit = 100) =>
    (await opened.one.controls(run, after, limit)).map(({ control }) => control.id);

  test("are read in order and unchanged, from any position", async () => {
    await opened.one.append("a", [startEntry("a")]);
    expect(await opened.one.controls("a", 0, 10)).toEqual([]);
    const sent = [cancel("1"), answer("2"), cancel("3")];
    for (const control of sent) expect(await opened.other.send("a", control)).toBe("queued");
    const expected = sent.map((control, index) => ({ number: index + 1, control }));
    expect(await opened.one.controls("a", 0, 10)).toEqual(expected);
    expect(await opened.one.controls("a", 1, 1)).toEqual(expected.slice(1, 2));
    expect(await opened.one.controls("a", 3, 10)).toEqual([]);
    expect((await opened.one.info("a"))?.seq).toBe(1);
  });

  test("are sent once per id, even if many send the same one", async () => {
    for (const run of ["a", "b"]) await opened.one.append(run, [startEntry(run)]);
    const logs = [opened.one, opened.other];
    const sends = Array.from({ length: 40 }, (_, index) => logs[index % 2]!.send("a", answer(`id-${index % 4}`)));
    expect(new Set(await Promise.all(sends))).toEqual(new Set(["queued"]));
    expect((await ids()).sort()).toEqual(["id-0", "id-1", "id-2", "id-3"]);
    const [first] = await opened.one.controls("a", 0, 1);
    await opened.other.send("a", cancel(first!.control.id));
    expect(await opened.one.controls("a", 0, 1)).toEqual([first]);
    await opened.other.send("b", cancel("id-0"));
    expect(await ids("b")).toEqual(["id-0"]);
  });

  test("wake all watchers, and none that has unsubscribed", async () => {
    for (const run of ["a", "b"]) await opened.one.append(run, [startEntry(run)]);
    const woken: (string | undefined)[] = [];
    const stopped: unknown[] = [];
    const stop = opened.one.watchControls((run) => woken.push(run));
    opened.one.watchControls((run) => stopped.push(run))();
    await opened.other.send("b", cancel("1"));
    await vi.waitFor(() => expect(woken).toContain("b"), 20_000);
    expect(await ids("b")).toEqual(["1"]);
    stop();
    stop();
    woken.length = 0;
    const heard: (string | undefined)[] = [];
    opened.one.watchControls((run) => heard.push(run));
    await opened.one.send("a", cancel("2"));
    await vi.waitFor(() => expect(heard).toContain("a"), 20_000);
    expect([...woken, ...stopped]).toEqual([]);
  });

  test("stay for the process that takes over the run", async () => {
    const { leaseMs, pass } = opened.variant;
    await opened.one.heartbeat("ada", leaseMs);
    await opened.one.append("a", [startEntry("a")], { owner: "ada", epoch: 1 });
    await opened.other.send("a", cancel("1"));
    await pass(leaseMs);
    await opened.other.heartbeat("bob", leaseMs);
    const bob = await opened.other.takeOver("a", "bob");
    await opened.one.send("a", answer("2"));
    expect(await ids()).toEqual(["1", "2"]);
    await opened.other.append("a", [endEntry(2)], bob);
    expect(await ids()).toEqual([]);
  });

  test("are removed with the end of the run, and none is accepted after it", async () => {
    await opened.one.append("a", [startEntry("a")]);
    await opened.one.send("a", cancel("1"));
    await opened.one.append("a", [...textEntries(2, 1), endEntry(3)]);
    expect(await ids()).toEqual([]);
    expect(await opened.other.send("a", cancel("2"))).toBe("ended");
    expect(await opened.other.send("a", cancel("1"))).toBe("ended");
    expect(await ids()).toEqual([]);
    await opened.one.drop("a");
    for (const run of ["a", "never", "../a"])
      await expect(opened.other.send(run, cancel("3"))).rejects.toThrow(LogMissing);
    expect(await ids("never")).toEqual([]);
  });

  test("are limited per run, and their ids have a maximum length", async () => {
    for (const run of ["a", "b"]) await opened.one.append(run, [startEntry(run)]);
    for (let from = 0; from < MAX_CONTROLS; from += 100)
      await Promise.all(Array.from({ length: 100 }, (_, index) => opened.one.send("a", cancel(`id-${from + index}`))));
    expect(await opened.one.send("a", cancel("more"))).toBe("full");
    expect(await opened.one.send("a", cancel("id-7"))).toBe("queued");
    expect(await opened.one.send("b", cancel("more"))).toBe("queued");
    expect(await opened.one.controls("a", MAX_CONTROLS - 1, 10)).toHaveLength(1);
    for (const id of ["", "x".repeat(129), undefined as unknown as string])
      await expect(opened.one.send("b", cancel(id))).rejects.toThrow(TypeError);
  });

  if (!opened.variant.durable) return;

  test("outlive the process", async () => {
    await opened.one.append("a", [startEntry("a")]);
    await opened.one.send("a", cancel("1"));
    await opened.reopen();
    expect(await opened.one.send("a", cancel("1"))).toBe("queued");
    await opened.one.send("a", cancel("2"));
    expect(await opened.one.controls("a", 0, 9)).toEqual([
      { number: 1, control: cancel("1") },
      { number: 2, control: cancel("2") },
    ]);
  });
});
