import { describe, expect, test } from "vitest";
import type { Entry, Event } from "../src/events.ts";
import { memory } from "../src/logs/memory.ts";
import type { RunListChanges, RunRow } from "../src/protocol.ts";
import { createRunChanges } from "../src/server/run-changes.ts";
import { createRunDetails } from "../src/server/run-details.ts";
import { createRunRows } from "../src/server/run-rows.ts";
import type { Source } from "../src/source.ts";
import { post, refusal, serve, until } from "./serving.ts";

/** A log, a clock that the test moves, and the changes that a process detects. */
const noticing = () => {
  const log = memory();
  let time = 1_000_000;
  const process = () => createRunChanges(log, createRunRows(createRunDetails(log)), () => time);
  const write = (run: string, ...events: Event[]) => {
    const info = log.info(run) as { seq: number } | undefined;
    const entries = events.map((event, index): Entry => ({ seq: (info?.seq ?? 0) + index + 1, at: time, event }));
    return log.append(run, entries);
  };
  const start = (run: string) =>
    write(run, {
      type: "run-start",
      run,
      protocol: 2,
      name: "a",
      message: { role: "user", content: [{ type: "text", text: run }] },
    });
  const end = (run: string) => write(run, { type: "run-end", outcome: "done" });
  return { log, process, write, start, end, wait: (ms = 1000) => void (time += ms) };
};
const idsOf = (changed: readonly { readonly info: { readonly run: string } }[]) => changed.map(({ info }) => info.run);

describe("changes that a process detects", () => {
  test("reports each change once: starts, asks and ends, even between two looks, but no streaming", async () => {
    const { process, write, start, end, wait } = noticing();
    await start("one");
    await start("two");
    const { since } = process();
    const first = await since(undefined);
    expect(first).toMatchObject({ isReset: true, changed: [] });
    wait();
    let next = await since(first.cursor);
    expect(idsOf(next.changed)).toEqual(["two", "one"]);
    wait();
    await write("one", { type: "step-start", step: "s" }, { type: "text-start", part: "p" });
    next = await since(next.cursor);
    expect(next.changed).toEqual([]);
    expect(next.open).toHaveLength(2);
    wait();
    await write("two", { type: "ask-start", ask: "q", kind: "confirmation", title: "Go?" });
    await start("brief");
    await end("brief");
    next = await since(next.cursor);
    expect(next.changed.map(({ row }) => [row?.run, row?.asks?.length, row?.outcome])).toEqual([
      ["two", 1, undefined],
      ["brief", undefined, "done"],
    ]);
    wait();
    await end("two");
    next = await since(next.cursor);
    expect(next.changed.map(({ row }) => [row?.run, row?.outcome])).toEqual([["two", "done"]]);
    expect(idsOf(next.open)).toEqual(["one"]);
  });

  test("a run that starts and ends between looks is detected, and so is a dropped one", async () => {
    const { log, process, start, end, wait } = noticing();
    const { since } = process();
    let next = await since(undefined);
    wait();
    await start("only");
    await end("only");
    next = await since(next.cursor);
    expect(idsOf(next.changed)).toEqual(["only"]);
    await start("gone");
    wait();
    next = await since(next.cursor);
    await end("gone");
    await log.drop("gone");
    wait();
    next = await since(next.cursor);
    expect(next.changed.map(({ info, row }) => [info.run, row])).toEqual([["gone", undefined]]);
  });

  test("one look per second serves all callers, and each gets every change", async () => {
    const { log, start, wait } = noticing();
    let listed = 0;
    const counting = {
      ...log,
      list: (query: Parameters<typeof log.list>[0]) => {
        listed += 1;
        return log.list(query);
      },
    };
    let time = 0;
    const { since } = createRunChanges(counting, createRunRows(createRunDetails(log)), () => time);
    const cursors = await Promise.all(Array.from({ length: 50 }, () => since(undefined)));
    expect(listed).toBe(2);
    await start("one");
    wait();
    time += 1000;
    listed = 0;
    const answers = await Promise.all(cursors.map(({ cursor }) => since(cursor)));
    expect(listed).toBe(2);
    expect(answers.every(({ changed }) => idsOf(changed)[0] === "one")).toBe(true);
    // No one looks again within the second.
    time += 999;
    for (const { cursor } of answers) await since(cursor);
    expect(listed).toBe(2);
  });

  test("another process continues with a cursor once it has watched long enough, and resets it before that", async () => {
    const { process, start, end, wait } = noticing();
    await start("one");
    const [here, there] = [process(), process()];
    let { cursor } = await here.since(undefined);
    const unknown = await there.since(cursor);
    expect(unknown.isReset).toBe(true);
    // Until both have read what they have listed.
    await Promise.all([here.since(cursor), there.since(unknown.cursor)]);
    wait(6000);
    ({ cursor } = await here.since(cursor));
    wait();
    await end("one");
    const next = await there.since(cursor);
    expect(next.isReset).toBe(false);
    expect(next.changed.map(({ row }) => row?.outcome)).toEqual(["done"]);
    wait(61_000);
    expect((await there.since(next.cursor)).isReset).toBe(true);
    for (const broken of ["", "1.2.3", "0".repeat(12) + ".1.999999999999999"])
      expect((await there.since(broken)).isReset).toBe(true);
  });

  test("a log that fails rejects the request, and the next one starts from scratch", async () => {
    const { log, start } = noticing();
    await start("one");
    let fails = true;
    const broken = {
      ...log,
      list: async (query: Parameters<typeof log.list>[0]) => {
        if (fails) throw new Error("the log is away");
        return await log.list(query);
      },
    };
    let time = 0;
    const { since } = createRunChanges(broken, createRunRows(createRunDetails(log)), () => time);
    await expect(since(undefined)).rejects.toThrow("the log is away");
    fails = false;
    const { cursor } = await since(undefined);
    time += 1000;
    expect(idsOf((await since(cursor)).changed)).toEqual(["one"]);
  });
});

const keys = [
  { name: "ann", key: "ann-secret-key" },
  { name: "bob", key: "bob-secret-key" },
  { name: "eve", key: "eve-secret-key", rights: ["start"] as const },
  { name: "root", key: "root-secret-key", rights: ["watch", "answer", "admin"] as const },
];
const as = (name: string) => ({ authorization: `Bearer ${name}-secret-key` });

/** Asks or fails if the message requests it, and otherwise ends. */
const source: Source = async function* ({ messages }, { answerTo }) {
  const [part] = messages.at(-1)!.content;
  const text = part?.type === "text" ? part.text : "";
  yield { type: "step-start", step: "s" };
  yield { type: "step-end", step: "s", finish: "stop" };
  if (text.includes("fail")) throw new Error("It broke.");
  if (!text.includes("ask")) return;
  yield { type: "ask-start", ask: "a", kind: "confirmation", title: "Send the report?" };
  await answerTo("a");
};

describe("lists of runs over HTTP", () => {
  const serving = async () => {
    const { url } = await serve(source, { keys });
    const begin = (run: string, message: string, name: string) =>
      post(`${url}/runs`, { run, message }, { accept: "application/json", ...as(name) });
    const ask = async <Answer>(path: string, name: string): Promise<Answer> => {
      const response = await fetch(url + path, { headers: as(name) });
      expect(response.status).toBe(200);
      return (await response.json()) as Answer;
    };
    const list = async (query: string, name = "root") =>
      (await ask<{ runs: RunRow[] }>(`/runs?details=1&${query}`, name)).runs.map(({ run }) => run);
    const changes = (query: string, name: string) => ask<RunListChanges>(`/changes?${query}`, name);
    return { url, begin, list, changes };
  };

  test("runs are found by state, agent, text and user", async () => {
    const { url, begin, list } = await serving();
    await begin("fine", "Hello World", "ann");
    await begin("broken", "fail now", "bob");
    await begin("waits", "ask me", "bob");
    await begin("own", "my own", "root");
    await until(async () => (await list("state=done")).length === 2 && (await list("state=waiting")).length === 1);
    await until(async () => (await list("state=open")).length === 1);
    expect(await list("state=error")).toEqual(["broken"]);
    expect(await list("state=working")).toEqual([]);
    expect(await list("search=hello%20w")).toEqual(["fine"]);
    expect(await list("search=send%20the")).toEqual(["waits"]);
    expect(await list("search=bob")).toEqual(["waits", "broken"]);
    expect(await list("agent=test&state=done")).toEqual(["own", "fine"]);
    expect(await list("agent=other")).toEqual([]);
    expect(await list("mine=1")).toEqual(["own"]);
    expect(await list("search=e", "ann")).toEqual(["fine"]);
    const refused = await fetch(`${url}/runs?state=lost`, { headers: as("ann") });
    expect(await refusal(refused)).toMatchObject({ status: 400, hint: expect.stringContaining("waiting") as string });
    const long = await fetch(`${url}/runs?search=${"x".repeat(201)}`, { headers: as("ann") });
    expect((await refusal(long)).status).toBe(400);
  });

  test("each user gets changes of their own runs, an admin of all, and runs that no longer match are named", async () => {
    const { url, begin, changes } = await serving();
    const first = { ann: await changes("", "ann"), root: await changes("", "root") };
    expect(first.ann).toMatchObject({ reset: true, runs: [], may: { answer: true, cancel: true, everyone: false } });
    expect(first.root.may).toEqual({ answer: true, cancel: true, everyone: true });
    await begin("waits", "ask me", "bob");
    const changesOf = async (name: "ann" | "root", query = "") =>
      await changes(`since=${first[name].cursor}${query}`, name);
    await until(async () => (await changesOf("root")).runs[0]?.asks?.length === 1);
    expect(await changesOf("root", "&state=waiting")).toMatchObject({
      runs: [{ run: "waits", user: "bob" }],
      left: [],
      open: { working: 0, waiting: 1 },
    });
    expect(await changesOf("root", "&state=done")).toMatchObject({ runs: [], left: ["waits"] });
    expect(await changesOf("ann")).toMatchObject({ runs: [], left: [], open: { working: 0, waiting: 0 } });
    await post(`${url}/runs/waits/asks/a`, { allow: true }, as("bob"));
    await until(async () => (await changesOf("root")).runs[0]?.endedAt !== undefined);
    expect(await changesOf("root", "&state=waiting")).toMatchObject({ runs: [], left: ["waits"] });
  });

  test("rows that were deleted, or belong to others, are named among those that left", async () => {
    const { url, begin, list, changes } = await serving();
    await begin("mine", "Hello", "ann");
    await begin("theirs", "Hello", "bob");
    await until(async () => (await list("state=done")).length === 2);
    const { cursor } = await changes("", "ann");
    const left = async () => (await changes(`since=${cursor}&shown=mine,theirs,../x`, "ann")).left;
    expect(await left()).toEqual(["theirs"]);
    expect((await fetch(`${url}/runs/mine`, { method: "DELETE", headers: as("ann") })).status).toBe(200);
    await until(async () => (await left()).includes("mine"));
  });

  test("callers without the right to watch, and share links, get nothing", async () => {
    const { url, begin } = await serving();
    await begin("waits", "ask me", "bob");
    const link = await post(`${url}/runs/waits/links`, {}, as("bob"));
    const { token } = (await link.json()) as { token: string };
    for (const [key, code] of [
      ["eve-secret-key", "not-allowed"],
      [token, "read-only-token"],
    ]) {
      const response = await fetch(`${url}/changes`, { headers: { authorization: `Bearer ${key}` } });
      expect(await refusal(response)).toMatchObject({ status: 403, code });
    }
  });

  test("a search with few results examines some of the runs and returns where to continue", async () => {
    const log = memory({ maxRuns: 5000 });
    for (let index = 0; index < 2500; index++)
      await log.append(`r${index}`, [
        {
          seq: 1,
          at: index,
          event: {
            type: "run-start",
            run: `r${index}`,
            protocol: 2,
            name: "a",
            message: { role: "user", content: [{ type: "text", text: index === 3 ? "needle" : "hay" }] },
          },
        },
        { seq: 2, at: index, event: { type: "run-end", outcome: "done" } },
      ]);
    const { url } = await serve(source, { log });
    const pages: { runs: RunRow[]; next?: string }[] = [];
    for (let next: string | undefined = ""; next !== undefined; next = pages.at(-1)!.next)
      pages.push(
        (await (await fetch(`${url}/runs?search=needle${next && `&before=${next}`}`)).json()) as (typeof pages)[0],
      );
    expect(pages.map(({ runs }) => runs.map(({ run }) => run))).toEqual([[], [], ["r3"]]);
    const all = new Set<string>();
    for (let next: string | undefined = ""; next !== undefined;) {
      const page = (await (
        await fetch(`${url}/runs?state=done&limit=499${next && `&before=${next}`}`)
      ).json()) as (typeof pages)[0];
      for (const { run } of page.runs) all.add(run);
      ({ next } = page);
    }
    expect(all.size).toBe(2500);
  });
});
