import { beforeEach, expect, test } from "vitest";
import type { Entry, Event } from "../../src/events.ts";
import type { Log } from "../../src/log.ts";
import { createRunChanges } from "../../src/server/run-changes.ts";
import { createRunDetails } from "../../src/server/run-details.ts";
import { createRunPresence } from "../../src/server/run-presence.ts";
import { createRunRows } from "../../src/server/run-rows.ts";
import { eachLog } from "./each-log.ts";

/** The time of the entries and of the processes that look at them. Advanced only by the tests. */
let time = 1_000_000;
beforeEach(() => (time = 1_000_000));
const wait = (ms = 1000) => void (time += ms);
const processOn = (log: Log) => ({
  ...createRunChanges(log, createRunRows(createRunDetails(log)), () => time),
  ...createRunPresence(log, () => time),
});

const write = async (log: Log, run: string, ...events: Event[]) => {
  const seq = (await log.info(run))?.seq ?? 0;
  await log.append(
    run,
    events.map((event, index): Entry => ({ seq: seq + index + 1, at: time, event })),
  );
};
const start = (log: Log, run: string) =>
  write(log, run, {
    type: "run-start",
    run,
    protocol: 2,
    name: "a",
    user: { id: "u" },
    message: { role: "user", content: [{ type: "text", text: `Title of ${run}` }] },
  });
const end = (log: Log, run: string) => write(log, run, { type: "run-end", outcome: "done", usage: { input: 7 } });

eachLog("changes among runs", (opened) => {
  test("another process reports each start, ask, status, end and deletion once, and no streaming", async () => {
    const { one: log } = opened;
    const { since } = processOn(opened.other);
    await start(log, "old");
    await end(log, "old");
    await start(log, "first");
    let next = await since(undefined);
    expect(next.isReset).toBe(true);
    const changed = async () => {
      wait();
      next = await since(next.cursor);
      expect(next.isReset).toBe(false);
      return next.changed.map(({ info, row }) => [
        info.run,
        row && (row.outcome ?? row.asks?.[0]?.title ?? row.status ?? row.title),
      ]);
    };
    expect(await changed()).toEqual([["first", "Title of first"]]);
    await write(log, "first", { type: "step-start", step: "s" }, { type: "text-start", part: "p" });
    await write(log, "first", { type: "text-delta", part: "p", delta: "word " });
    expect(await changed()).toEqual([]);
    await write(log, "first", { type: "status", text: "Reading" });
    await start(log, "second");
    expect((await changed()).sort()).toEqual([
      ["first", "Reading"],
      ["second", "Title of second"],
    ]);
    await write(log, "second", { type: "ask-start", ask: "q", kind: "confirmation", title: "Go?" });
    await start(log, "brief");
    await end(log, "brief");
    expect((await changed()).sort()).toEqual([
      ["brief", "done"],
      ["second", "Go?"],
    ]);
    expect(next.open.map(({ info }) => info.run).sort()).toEqual(["first", "second"]);
    await end(log, "first");
    await end(log, "second");
    await log.drop("second");
    expect((await changed()).sort()).toEqual([
      ["first", "done"],
      ["second", undefined],
    ]);
    expect(next.open).toEqual([]);
    expect(await changed()).toEqual([]);
  });

  test("rows of ended runs have their title, user and usage", async () => {
    await start(opened.one, "run");
    await end(opened.one, "run");
    const rows = createRunRows(createRunDetails(opened.other));
    for (let turn = 0; turn < 2; turn++)
      expect(await rows(await opened.other.list({ limit: 10 }))).toMatchObject([
        { run: "run", title: "Title of run", user: "u", usage: { input: 7 }, outcome: "done" },
      ]);
  });

  test("ended runs that another process deleted are gone, and so are unknown and forbidden ones", async () => {
    const { gone } = processOn(opened.other);
    for (const run of ["kept", "deleted", "private"]) {
      await start(opened.one, run);
      await end(opened.one, run);
    }
    const shown = ["kept", "deleted", "private", "unknown"];
    const look = () => gone(shown, ({ run }) => run !== "private");
    expect(await look()).toEqual(["private", "unknown"]);
    await opened.one.drop("deleted");
    wait(2000);
    expect(await look()).toEqual(["deleted", "private", "unknown"]);
  });
});
