import { mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { forge } from "../src/dialects/forge.ts";
import { native } from "../src/dialects/native.ts";
import { openaiChat } from "../src/dialects/openai-chat.ts";
import type { Log } from "../src/log.ts";
import { memory } from "../src/logs/memory.ts";
import { sqlite } from "../src/logs/sqlite.ts";
import { createReadiness } from "../src/server/readiness.ts";
import { ended, eventsOf, onStop, post, refusal, serve, silent, start, until } from "./serving.ts";

const temporary = async (): Promise<string> => {
  const directory = await mkdtemp(path.join(tmpdir(), "runcast-ready-"));
  onStop(() => rm(directory, { recursive: true, force: true }));
  return directory;
};

describe("/ready", () => {
  test("is 503 while nothing can be stored, reports it once, and recovers", async () => {
    const inner = memory();
    const problems: unknown[] = [];
    let full: Error | undefined;
    const log: Log = { ...inner, check: () => (full ? Promise.reject(full) : Promise.resolve()) };
    const ready = createReadiness(
      log,
      () => "ready",
      (error) => problems.push(error),
    );
    expect(await ready()).toBe("ready");
    full = new Error("the disk is full");
    await until(async () => (await ready()) === "log-failing");
    expect(problems).toEqual([full]);
    full = undefined;
    await until(async () => (await ready()) === "ready");
  });

  test.each([
    ["is deleted", (file: string) => rm(file)],
    ["is moved away", (file: string) => rename(file, `${file}.old`)],
    ["is gone with its directory", (file: string) => rm(path.dirname(file), { recursive: true })],
  ])("is 503 when the database %s, without its path", async (_, harm) => {
    const directory = await temporary();
    const log = sqlite({ directory });
    onStop(() => log.close());
    const problems: unknown[] = [];
    const { url } = await serve(silent, { log, onProblem: ({ error }) => problems.push(error) });
    await harm(path.join(directory, "log.db"));
    const response = await fetch(`${url}/ready`);
    expect(response.status).toBe(503);
    const text = await response.text();
    expect(JSON.parse(text)).toEqual({ status: "log-failing" });
    expect(text).not.toContain(directory);
    expect(String(problems[0])).toContain(directory);
  });
});

describe("clients do not learn where the log is", () => {
  const secret = "/srv/secret/place";
  const broken = Object.assign(new Error(`the log in ${secret} cannot grow`), { reason: "the disk is full" });

  test("when a run's log fails", async () => {
    const inner = memory();
    let isFull = false;
    const log: Log = {
      ...inner,
      append: (run, entries, as) => (isFull ? Promise.reject(broken) : inner.append(run, entries, as)),
    };
    const { promise: more, resolve } = Promise.withResolvers<void>();
    const { url } = await serve(
      async function* () {
        yield { type: "step-start", step: "s" };
        await more;
        yield { type: "text-start", part: "p" };
      },
      { log, onProblem: () => {} },
    );
    const run = await start(url);
    isFull = true;
    resolve();
    await until(async () => (await fetch(`${url}/runs/${run}/cancel`, { method: "POST" })).status !== 404);
    isFull = false;
    const text = JSON.stringify(eventsOf(await ended(url, run)));
    expect(text).toContain("the run's log could not be written: the disk is full");
    expect(text).not.toContain(secret);
  });

  test("when a file cannot be stored", async () => {
    const log: Log = { ...memory(), put: () => Promise.reject(broken) };
    const { url } = await serve(
      async function* (_, { put }) {
        yield { type: "step-start", step: "s" };
        await put("x", { mediaType: "text/plain" });
      },
      { log, onProblem: () => {} },
    );
    const text = JSON.stringify(eventsOf(await ended(url, await start(url))));
    expect(text).toContain("the file could not be stored: the disk is full");
    expect(text).not.toContain(secret);
  });
});

test("a whole answer in a dialect that only streams is refused before the run starts", async () => {
  const { url } = await serve(silent, { dialects: [native, openaiChat, forge] });
  const body = { model: "test", messages: [{ role: "user", content: "hi" }], stream: false };
  const response = await post(`${url}/v1/chat/completions?dialect=forge`, body);
  const text = await response.text();
  expect([response.status, text]).toEqual([400, expect.stringContaining("only supports streams")]);
  expect(await (await fetch(`${url}/runs`)).json()).toEqual({ runs: [] });
});

test("refusals are counted by status and code", async () => {
  const { url } = await serve(silent);
  await fetch(`${url}/nothing`);
  await fetch(`${url}/runs/none/events`);
  await post(`${url}/runs`, "no");
  const text = await (await fetch(`${url}/metrics`)).text();
  expect(text).toContain('runcast_refusals_total{status="400",code="bad-request"} 1');
  expect(text).toContain('runcast_refusals_total{status="404",code="unknown-path"} 1');
  expect(text).toContain('runcast_refusals_total{status="404",code="unknown-run"} 1');
});

test("a log without its own backup names the tool to use", async () => {
  const { url } = await serve(silent);
  const response = await fetch(`${url}/admin/backup`, { method: "POST" });
  expect(await refusal(response)).toMatchObject({
    status: 501,
    code: "no-backup",
    hint: expect.stringContaining("pg_dump"),
  });
});
