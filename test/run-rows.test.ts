import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { runs as command } from "../src/cli/runs.ts";
import type { Entry, Event, Finish } from "../src/events.ts";
import { memory } from "../src/logs/memory.ts";
import type { Log } from "../src/log.ts";
import type { RunRow } from "../src/protocol.ts";
import { createRunDetails, type RunDetails } from "../src/server/run-details.ts";
import { createRunRows } from "../src/server/run-rows.ts";
import type { Source } from "../src/source.ts";
import { describeRow } from "../src/view.ts";
import { ended, onStop, post, serve, until } from "./serving.ts";

const step = [
  { type: "step-start", step: "s" },
  { type: "step-end", step: "s", finish: "stop", usage: { input: 3, output: 4 } },
] as const;

const asking: Source = async function* ({ messages }, { answerTo }) {
  yield* step;
  const [part] = messages.at(-1)!.content;
  if (part?.type === "text" && part.text === "too much") {
    yield { type: "step-start", step: "t" };
    yield { type: "step-end", step: "t", finish: "length" };
  }
  if (part?.type === "text" && part.text === "fail") throw new Error("It broke.");
  if (part?.type !== "text" || part.text !== "ask") return;
  yield { type: "status", text: "Thinking it over" };
  yield { type: "ask-start", ask: "a", kind: "confirmation", title: "Send the report?" };
  await answerTo("a");
};

const keys = [
  { name: "ann", key: "ann-secret-key" },
  { name: "bob", key: "bob-secret-key" },
  { name: "root", key: "root-secret-key", rights: ["watch", "admin"] as const },
];
const as = (name: string) => ({ authorization: `Bearer ${name}-secret-key` });
const list = async (url: string, name: string, query = ""): Promise<readonly RunRow[]> =>
  ((await (await fetch(`${url}/runs?details=1${query}`, { headers: as(name) })).json()) as { runs: RunRow[] }).runs;

test("a list shows user, message, progress, asks and outcome of each user's own runs, and of all runs for an admin", async () => {
  const { url } = await serve(asking, { keys });
  const begin = async (run: string, message: string, name: string) =>
    (await post(`${url}/runs`, { run, message }, { accept: "application/json", ...as(name) })).status;
  expect(await begin("fine", "hello\nworld", "ann")).toBe(202);
  expect(await begin("broken", "fail", "ann")).toBe(202);
  expect(await begin("waits", "ask", "bob")).toBe(202);
  await until(async () => (await list(url, "bob"))[0]?.asks?.length === 1);
  await until(async () => (await list(url, "root", "&open=1")).length === 1);
  expect((await list(url, "ann")).map(({ run }) => run)).toEqual(["broken", "fine"]);
  const [waits, broken, fine] = await list(url, "root");
  expect(waits).toMatchObject({
    run: "waits",
    user: "bob",
    title: "ask",
    status: "Thinking it over",
    usage: { input: 3, output: 4 },
    asks: [{ ask: "a", kind: "confirmation", title: "Send the report?" }],
  });
  expect(waits).not.toHaveProperty("owner");
  expect(describeRow(waits!)).toMatchObject({ who: "bob", note: "Send the report?", badge: { state: "waiting" } });
  expect(describeRow(broken!)).toMatchObject({ note: "It broke.", isOver: true, badge: { state: "error" } });
  expect(describeRow(fine!)).toMatchObject({ title: "hello world", note: "", usage: "3 tokens in, 4 out" });
  // The list contains everything that is needed to answer.
  const answered = await post(`${url}/runs/waits/asks/a`, { allow: true }, as("bob"));
  expect(answered.status).toBe(200);
  await until(async () => (await list(url, "root", "&open=1")).length === 0);
});

/** What the command prints, line by line. */
const printing = (): { readonly written: string[]; run(options: Record<string, string>): Promise<number> } => {
  const written: string[] = [];
  const { write } = process.stdout;
  process.stdout.write = ((text: string) => written.push(text) > 0) as typeof write;
  onStop(() => (process.stdout.write = write));
  return {
    written,
    run: async (options) => await command.run({ positionals: [], options, environment: {}, directory: "" }),
  };
};

test("`runcast runs` prints one line per run", async () => {
  const { url } = await serve(asking);
  for (const message of ["too much", "first", "ask"])
    await post(
      `${url}/runs`,
      { message, ...(message === "first" && { user: { id: "ann" } }) },
      { accept: "application/json" },
    );
  await until(async () => (await list(url, "")).some(({ asks = [] }) => asks.length === 1));
  const { written, run } = printing();
  expect(await run({ url })).toBe(0);
  expect(written).toEqual([
    expect.stringMatching(/waiting for you .* 3 tokens in, 4 out {2}ask — Send the report\?\n$/),
    expect.stringMatching(/done .* ann .*\b\d+(?:\.\d)? m?s .*3 tokens in, 4 out.* first\n$/),
    expect.stringMatching(
      / cut off .* too much — The answer is incomplete: the model reached its output token limit\.\n$/,
    ),
  ]);
  const places = written.map((line) => line.search(/ask — |first\n/));
  expect(places[0]).toBe(places[1]);
  written.length = 0;
  await run({ url, waiting: "" });
  expect(written).toHaveLength(1);
});

test("`runcast runs --waiting` finds a waiting run behind newer open ones", async () => {
  const { url } = await serve(async function* (request, context) {
    yield* asking(request, context);
    await new Promise((resolve) => context.signal.addEventListener("abort", resolve));
  });
  const begin = async (message: string) => await post(`${url}/runs`, { message }, { accept: "application/json" });
  await begin("ask");
  await until(async () => (await list(url, ""))[0]?.asks?.length === 1);
  for (const message of ["newer", "newest"]) await begin(message);
  await until(async () => (await list(url, "", "&open=1")).length === 3);
  const { written, run } = printing();
  await run({ url, waiting: "", limit: "1" });
  expect(written).toEqual([expect.stringMatching(/waiting for you .* ask — Send the report\?\n$/)]);
  written.length = 0;
  await run({ url, open: "", limit: "2" });
  expect(written.map((line) => line.trim().split(" ").at(-1))).toEqual(["newest", "newer"]);
});

test("`runcast runs` asks for the next page if the server stopped looking before it found enough", async () => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const query = new URL(request.url!, "http://localhost").searchParams;
    asked.push(`${query.get("state")} ${query.get("limit")} ${query.get("before")}`);
    const row = { run: `r${asked.length}`, name: "a", seq: 1, startedAt: 0, title: `Run ${asked.length}` };
    const pages = [{ runs: [], next: "a" }, { runs: [row], next: "b" }, { runs: [row] }];
    response.end(JSON.stringify(pages[asked.length - 1]));
  }).listen(0, "127.0.0.1");
  onStop(() => void server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const { written, run } = printing();
  await run({ url: `http://127.0.0.1:${port}`, waiting: "", limit: "3" });
  expect(asked).toEqual(["waiting 3 ", "waiting 3 a", "waiting 2 b"]);
  expect(written).toHaveLength(2);
});

test("listing again reads only new entries, however long the runs are", async () => {
  const log = memory();
  const { url } = await serve(
    async function* (_, { signal }) {
      yield { type: "step-start", step: "s" };
      yield { type: "text-start", part: "p" };
      for (let index = 0; index < 2000; index++) yield { type: "text-delta", part: "p", delta: "x" };
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    },
    { log },
  );
  await post(`${url}/runs`, { run: "long", message: "hi" }, { accept: "application/json" });
  await until(async () => (await log.info("long"))!.seq > 2000);
  let read = 0;
  const counting: Log = {
    ...log,
    read: async (...asked) => {
      const entries = await log.read(...asked);
      read += entries.length;
      return entries;
    },
  };
  const rows = createRunRows(createRunDetails(counting));
  const infos = await log.list({ limit: 10 });
  await rows(infos);
  expect(read).toBeGreaterThan(2000);
  read = 0;
  await rows(infos);
  expect(read).toBe(0);
  await post(`${url}/runs/long/cancel`, {});
  await ended(url, "long");
  read = 0;
  const infosAfter = await log.list({ limit: 10 });
  await rows(infosAfter);
  expect(read).toBe(2);
  // An ended run does not change.
  await rows(infosAfter);
  expect(read).toBe(2);
});

const start = (run: string): Event => ({
  type: "run-start",
  run,
  protocol: 2,
  name: "a",
  message: { role: "user", content: [{ type: "text", text: `Title of ${run}` }] },
});
const ask = { type: "ask-start", ask: "a", kind: "confirmation", title: "Send it?" } as const;
const end = { type: "run-end", outcome: "done", usage: { input: 5 } } as const;

test("what this process wrote is not read, and a deleted run is forgotten", async () => {
  const log = memory();
  let read = 0;
  const details = createRunDetails({
    ...log,
    read: (...asked) => {
      read += 1;
      return log.read(...asked);
    },
  });
  const rows = createRunRows(details);
  const { writing } = details;
  await writing.append("open", [
    { seq: 1, at: 1, event: start("open") },
    { seq: 2, at: 2, event: ask },
  ]);
  await writing.append("over", [{ seq: 1, at: 3, event: start("over") }]);
  await writing.append("over", [{ seq: 2, at: 4, event: end }]);
  expect(await rows(await log.list({ limit: 10 }))).toMatchObject([
    { run: "over", title: "Title of over", usage: { input: 5 } },
    { run: "open", title: "Title of open", asks: [{ title: "Send it?" }] },
  ]);
  await writing.append("open", [{ seq: 3, at: 5, event: { type: "ask-end", ask: "a", outcome: "expired" } }]);
  expect(await rows(await log.list({ limit: 10, open: true }))).toMatchObject([{ run: "open", asks: [] }]);
  expect(read).toBe(0);
  // An append that the log refuses changes nothing.
  await Promise.resolve(writing.append("open", [{ seq: 3, at: 6, event: ask }])).catch(() => {});
  expect(await rows(await log.list({ limit: 10, open: true }))).toMatchObject([{ run: "open", asks: [] }]);
  await writing.drop("over");
  expect(details.known("over", 2, true)).toBeUndefined();
});

const finished = (finish: Finish, ...after: readonly Event[]): Event[] => [
  { type: "step-start", step: "s" },
  { type: "step-end", step: "s", finish },
  { type: "agent-start", agent: "a", name: "helper" },
  { type: "step-start", step: "t", agent: "a" },
  { type: "step-end", step: "t", agent: "a", finish: "stop" },
  ...after,
  { type: "agent-end", agent: "a", outcome: "done" },
  end,
];
const notices = (count: number): Event[] =>
  Array.from({ length: count }, () => ({ type: "notice", level: "info", text: "Still here" }));
const entriesOf = (run: string, events: readonly Event[]): Entry[] =>
  [start(run), ...events].map((event, index) => ({ seq: index + 1, at: index + 1, event }));

test.each([
  ["at once", finished("length"), "length"],
  ["before other entries", finished("filter", ...notices(400)), "filter"],
  ["after a takeover", finished("interrupted"), "interrupted"],
  ["completely", finished("stop"), undefined],
  ["without a step", [end], undefined],
  ["incompletely, and then failed", [...finished("length").slice(0, -1), { ...end, outcome: "error" }], undefined],
  ["incompletely, and then was continued", [...finished("length").slice(0, 2), ...finished("stop")], undefined],
] as const)("a row tells that a run is done but its answer incomplete: ended %s", async (_, events, finish) => {
  const log = memory();
  const entries = entriesOf("r", events);
  // Whether this process wrote the run, followed it from the beginning, or finds it ended.
  const [written, followed, found] = [log, log, log].map(createRunDetails) as [RunDetails, RunDetails, RunDetails];
  const rowsOf = async (details: RunDetails) => await createRunRows(details)(await log.list({ limit: 1 }));
  for (const entry of entries) {
    await written.writing.append("r", [entry]);
    if (entry.seq === entries.length - 1)
      for (const details of [written, followed]) expect((await rowsOf(details))[0]).not.toHaveProperty("finish");
  }
  for (const details of [written, followed, found]) expect((await rowsOf(details))[0]?.finish).toBe(finish);
});

test("the end of a run is read at the same cost, however long the run is", async () => {
  const log = memory();
  let read = 0;
  const details = createRunDetails({
    ...log,
    read: async (...asked) => {
      const entries = await log.read(...asked);
      read += entries.length;
      return entries;
    },
  });
  await log.append("r", entriesOf("r", finished("length", ...notices(5000))));
  const [row] = await createRunRows(details)(await log.list({ limit: 1 }));
  expect(row).toMatchObject({ title: "Title of r", outcome: "done", usage: { input: 5 } });
  expect(read).toBeLessThan(600);
});

test("rows of long runs are partial at first if the client accepts that, and readers share the work", async () => {
  const log = memory();
  for (const run of ["long", "longer"])
    await log.append(run, [
      { seq: 1, at: 1, event: start(run) },
      { seq: 2, at: 2, event: ask },
    ]);
  const gate = Promise.withResolvers<void>();
  let read = 0;
  const rows = createRunRows(
    createRunDetails({
      ...log,
      read: async (run, after, limit) => {
        // Only the first entry can be read before the gate opens.
        if (limit > 1) {
          read += 1;
          await gate.promise;
        }
        return log.read(run, after, limit);
      },
    }),
  );
  const infos = await log.list({ limit: 10 });
  const whole = rows(infos);
  const partial = await rows(infos, { withinMs: 1 });
  expect(partial.map((row) => [row.title, row.partial, row.asks])).toEqual([
    ["Title of longer", true, undefined],
    ["Title of long", true, undefined],
  ]);
  expect(describeRow(partial[0]!).note).toBe("Loading…");
  gate.resolve();
  for (const row of await whole) expect(row).toMatchObject({ asks: [{ title: "Send it?" }] });
  for (const row of await rows(infos, { withinMs: 1 })) expect(row).not.toHaveProperty("partial");
  expect(read).toBe(2);
});
