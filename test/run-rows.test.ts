import { expect, test } from "vitest";
import { runs as command } from "../src/cli/runs.ts";
import { memory } from "../src/logs/memory.ts";
import type { Log } from "../src/log.ts";
import type { RunRow } from "../src/protocol.ts";
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

test("`runcast runs` prints one line per run", async () => {
  const { url } = await serve(asking);
  for (const message of ["first", "ask"]) await post(`${url}/runs`, { message }, { accept: "application/json" });
  await until(async () => (await list(url, "")).some(({ asks = [] }) => asks.length === 1));
  const written: string[] = [];
  const { write } = process.stdout;
  process.stdout.write = ((text: string) => written.push(text) > 0) as typeof write;
  onStop(() => (process.stdout.write = write));
  const run = (options: Record<string, string>) =>
    command.run({ positionals: [], options: { url, ...options }, environment: {}, directory: "" });
  expect(await run({})).toBe(0);
  expect(written).toEqual([
    expect.stringMatching(/waiting for you .* 3 tokens in, 4 out {2}ask — Send the report\?\n$/),
    expect.stringMatching(/done .*\b\d+(?:\.\d)? m?s .* first\n$/),
  ]);
  written.length = 0;
  await run({ waiting: "" });
  expect(written).toHaveLength(1);
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
  const rows = createRunRows(counting);
  const infos = await log.list({ limit: 10 });
  await rows(infos);
  expect(read).toBeGreaterThan(2000);
  read = 0;
  await rows(infos);
  expect(read).toBe(0);
  await post(`${url}/runs/long/cancel`, {});
  await ended(url, "long");
  read = 0;
  await rows(await log.list({ limit: 10 }));
  expect(read).toBe(2);
});
