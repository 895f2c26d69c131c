import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import type { Log } from "../src/log.ts";
import { createKnownLeases, createMarks, createTails, LogConflict } from "../src/log.ts";
import { memory } from "../src/logs/memory.ts";
import { sqlite } from "../src/logs/sqlite.ts";
import { createRunner } from "../src/runner.ts";
import type { ServerProblem } from "../src/server.ts";
import type { Source } from "../src/source.ts";
import { startEntry, textEntries } from "./contracts/run-entries.ts";
import { entriesOf, request, setUp, started, untilEnd, untilEvent, waiting } from "./running.ts";
import { ended, eventsOf, framesOf, onStop, post, serve, start } from "./serving.ts";
import { createAppends } from "../src/logs/postgres/appends.ts";
import { type PostgresConnection, Unreachable } from "../src/logs/postgres/connection.ts";

/** A log whose disk is full while `full` is set to the reason. */
const filling = () => {
  const inner = memory();
  const disk: { full?: Error; tries: number } = { tries: 0 };
  const log: Log = {
    ...inner,
    append(run, entries, as) {
      if (!disk.full) return inner.append(run, entries, as);
      disk.tries++;
      return Promise.reject(disk.full);
    },
  };
  return { log, disk };
};

/** Begins a call, and emits one more event each time it is released. */
const speaking = () => {
  const { promise: more, resolve: say } = Promise.withResolvers<void>();
  const left = Promise.withResolvers<void>();
  const source: Source = async function* (_, { signal }) {
    try {
      yield* started;
      await more;
      yield { type: "tool-progress", call: "c", note: "half" };
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    } finally {
      left.resolve();
    }
  };
  return { source, say, left: left.promise };
};

const until = async (isTrue: () => boolean) => {
  while (!isTrue()) await new Promise((tick) => setTimeout(tick, 2));
};

const isExecuting = ({ type }: { type: string }) => type === "tool-execute";

describe("a log that fails during a run", () => {
  test("gets the run's end as soon as it can be written again", async () => {
    const { log, disk } = filling();
    const problems: unknown[] = [];
    const cut: string[] = [];
    const ends: unknown[] = [];
    const { runner } = setUp({
      log,
      onProblem: (error) => problems.push(error),
      onCut: (run) => cut.push(run),
      onEnd: ({ end }) => ends.push(end),
    });
    const { source, say, left } = speaking();
    const { run } = await runner.start(request, { name: "test", source });
    await untilEvent(log, run, isExecuting);
    disk.full = new Error("the disk is full");
    say();
    await left;
    expect(problems).toEqual([disk.full]);
    expect(cut).toEqual([run]);
    expect(runner.waiting(run)).toMatchObject({ waiting: "storage" });
    await until(() => disk.tries > 2);
    expect((await log.info(run))?.endedAt).toBeUndefined();
    delete disk.full;
    const events = await untilEnd(log, run);
    expect(events.slice(-2)).toEqual([
      { type: "tool-end", call: "c", outcome: "interrupted" },
      {
        type: "run-end",
        outcome: "error",
        error: {
          code: "log-failed",
          message: "the run's log could not be written",
          retryable: true,
        },
      },
    ]);
    await until(() => runner.active === 0 && ends.length === 1);
    expect(ends).toEqual([events.at(-1)]);
    expect(await runner.cancel(run)).toBe("ended");
  });

  test("does not block cancels and answers, and reports the actual state", async () => {
    const { log, disk } = filling();
    const { runner } = setUp({ log, graceMs: 5 });
    const { source, say, left } = speaking();
    const { run } = await runner.start(request, { name: "test", source });
    await untilEvent(log, run, isExecuting);
    disk.full = new Error("the disk is full");
    say();
    await left;
    const refusal = { code: "log-failed", status: 503, retryable: true };
    await expect(runner.cancel(run)).rejects.toMatchObject(refusal);
    await expect(runner.cancel(run, { call: "c" })).rejects.toMatchObject(refusal);
    await expect(runner.answer(run, "a", { allow: true })).rejects.toMatchObject(refusal);
  });

  test("does not keep the runner from closing, and the next start closes the run", async () => {
    const { log, disk } = filling();
    const { runner } = setUp({ log, graceMs: 5 });
    const { source, say, left } = speaking();
    const { run } = await runner.start(request, { name: "test", source });
    await untilEvent(log, run, isExecuting);
    disk.full = new Error("the disk is full");
    say();
    await left;
    await runner.close();
    await until(() => runner.active === 0);
    const { tries } = disk;
    delete disk.full;
    expect(await setUp({ log }).runner.recover()).toBe(1);
    expect(disk.tries).toBe(tries);
    expect((await untilEnd(log, run)).at(-1)).toMatchObject({ outcome: "interrupted" });
  });

  test("while a cancel is being stored lets that cancel end the run", async () => {
    const { log, disk } = filling();
    const { runner } = setUp({ log, graceMs: 60_000 });
    const { run } = await runner.start(request, { name: "test", source: waiting(started) });
    await untilEvent(log, run, isExecuting);
    disk.full = new Error("the disk is full");
    const cancelled = runner.cancel(run);
    await until(() => disk.tries > 0);
    delete disk.full;
    expect(await cancelled).toBe("ended");
    expect((await untilEnd(log, run)).at(-1)).toMatchObject({ outcome: "cancelled" });
  });

  test("leaves the run to another process that owns it", async () => {
    const { log, disk } = filling();
    const { runner } = setUp({ log, controlMs: 20 });
    const { source, say, left } = speaking();
    const { run } = await runner.start(request, { name: "test", source });
    await untilEvent(log, run, isExecuting);
    disk.full = new LogConflict(run, 5, 7);
    say();
    await left;
    await until(() => runner.active === 0);
    expect(disk.tries).toBe(1);
    await expect(runner.cancel(run)).rejects.toMatchObject({ code: "not-confirmed", status: 504 });
  });

  test("disconnects followers, which resume and see the run's end", async () => {
    const { log, disk } = filling();
    const { source, say } = speaking();
    const problems: ServerProblem[] = [];
    const { url } = await serve(source, { log, onProblem: (problem) => problems.push(problem) });
    const run = await start(url);
    await untilEvent(log, run, isExecuting);
    const { length } = await entriesOf(log, run);
    const following = framesOf(await fetch(`${url}/runs/${run}/events`));
    disk.full = new Error("the disk is full");
    say();
    await expect(following).rejects.toThrow();
    const cancel = await post(`${url}/runs/${run}/cancel`, {});
    expect([cancel.status, await cancel.json()]).toMatchObject([503, { error: { code: "log-failed" } }]);
    const resumed = fetch(`${url}/runs/${run}/events?after=${length}`).then(framesOf);
    await until(() => disk.tries > 2);
    delete disk.full;
    expect(eventsOf(await resumed).map(({ type }) => type)).toEqual(["tool-end", "run-end"]);
    expect(eventsOf(await ended(url, run)).at(-1)).toMatchObject({ outcome: "error", error: { code: "log-failed" } });
    expect(problems.map(({ error }) => error)).toContainEqual(new Error("the disk is full"));
  });
});

test("a damaged open run keeps neither the others from being closed nor the server from starting", async () => {
  const directory = await mkdtemp(path.join(tmpdir(), "runcast-damaged-"));
  onStop(() => rm(directory, { recursive: true, force: true }));
  const before = sqlite({ directory });
  for (const run of ["a", "b", "c"]) await before.append(run, [startEntry(run), ...textEntries(2, 2)]);
  await before.close();
  const database = new DatabaseSync(path.join(directory, "log.db"));
  database.exec("UPDATE segments SET body = 'x' WHERE number = (SELECT number FROM runs WHERE run = 'b')");
  database.close();

  const log = sqlite({ directory });
  onStop(() => log.close());
  const problems: ServerProblem[] = [];
  const { url } = await serve(speaking().source, { log, onProblem: (problem) => problems.push(problem) });
  expect(problems).toMatchObject([
    { error: { message: expect.stringMatching(/^run b cannot be taken over: .*damaged/) } },
  ]);
  for (const run of ["a", "c"])
    expect(eventsOf(await ended(url, run)).at(-1)).toMatchObject({ type: "run-end", outcome: "interrupted" });
  expect((await fetch(`${url}/runs/b`)).status).toBe(500);
  expect(await createRunner({ log }).recover()).toBe(0);
});

/** What one statement answers. `items`: the appends that are checked separately. */
type Answer = (items: readonly { readonly run: string; readonly isRetry: boolean }[]) => object;

/** Appends to a Postgres that gives these answers, in order, and the runs of each statement. */
const appendsTo = (...answers: Answer[]) => {
  const sent: string[][] = [];
  const query = async (text: string, values: unknown) => {
    const [first] = (values as (isRetry: boolean) => string[])(false);
    const items = text.includes(".extend(") ? [] : JSON.parse(first!);
    sent.push(items.length > 0 ? items.map(({ run }: { run: string }) => run) : first!.split(","));
    return [answers.shift()!(items)];
  };
  const appends = createAppends({
    connection: { query } as unknown as PostgresConnection,
    ...{ schema: "runcast", channel: "c", message: String, wake: () => {} },
    marks: createMarks(),
    tails: createTails(createKnownLeases(() => 0)),
  });
  const append = (...runs: string[]) =>
    Promise.allSettled(runs.map((run) => appends.append(run, textEntries(2, 1), { owner: "ada", epoch: 1 })));
  return { append, appends, sent };
};

const unreachable = () => {
  throw new Unreachable("cannot reach Postgres");
};

test("appends that have waited for an unreachable server fail together", async () => {
  const { append, appends, sent } = appendsTo(() => {
    void append("c");
    return unreachable();
  });
  const results = await append("a", "b");
  await appends.idle();
  expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(sent).toEqual([["a", "b"]]);
});

test("an append that is stored counts as stored, even if the reason for another one's refusal cannot be read", async () => {
  const { append, sent } = appendsTo(
    () => ({ places: ["1"] }),
    () => {
      throw new Error("canceling statement due to statement timeout");
    },
    (items) => ({ results: items.map(({ isRetry }) => ({ status: isRetry ? "stored" : "conflict", seq: 2 })) }),
    () => ({ results: [{ status: "fenced", owner: "bob", epoch: 2 }] }),
  );
  const results = await append("a", "b");
  expect(results).toMatchObject([{ status: "fulfilled" }, { status: "rejected", reason: { name: "LogFenced" } }]);
  expect(sent).toEqual([["a", "b"], ["b"], ["a"], ["b"]]);
});

test("entries that a process remembers of a run are not shown after a gap in its lease, even without a message", () => {
  let ahead = 0;
  const knownLeases = createKnownLeases(() => ahead);
  const tails = createTails(knownLeases);
  const ada = { owner: "ada", epoch: 1 };
  knownLeases.renew("ada", 1000)(true);
  tails.extend("run", textEntries(2, 1), ada, tails.termOf(ada));
  expect(tails.read("run", 1, 10)).toEqual(textEntries(2, 1));
  ahead = 2000;
  expect(tails.read("run", 1, 10)).toBeUndefined();
  for (const wasAlive of [false, true]) {
    knownLeases.renew("ada", 1000)(wasAlive);
    expect(tails.read("run", 1, 10)).toBeUndefined();
  }
});
