import { describe, expect, test } from "vitest";
import { z } from "zod";
import { memory } from "../src/logs/memory.ts";
import { createLoad } from "../src/server/load.ts";
import { limitsOf } from "../src/server/limits.ts";
import { createTokenQuota } from "../src/server/token-quota.ts";
import type { Source } from "../src/source.ts";
import { agent } from "../src/sources/agent.ts";
import { defineTool } from "../src/tool.ts";
import { drive, playing, script } from "./drive.ts";
import { ended, post, refusal, serve, start } from "./serving.ts";

describe("daily tokens", () => {
  const spending: Source = async function* () {
    yield { type: "step-start", step: "s", model: "m" };
    yield { type: "step-end", step: "s", finish: "stop", usage: { input: 600, output: 500 } };
  };

  test("are limited per user, and the refusal names the limit, its end and its setting", async () => {
    const keys = ["ann", "bob"].map((name) => ({ name, key: `the-key-of-${name}` }));
    const { url } = await serve(spending, { keys, limits: { userTokensPerDay: 1000 } });
    const begin = (who: string) =>
      post(`${url}/runs`, { message: "hi" }, { authorization: `Bearer the-key-of-${who}` });
    await (await begin("ann")).text();
    const refused = await begin("ann");
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await refusal(refused)).toMatchObject({
      status: 429,
      code: "token-quota",
      message: "your runs have reached the daily limit of 1000 tokens",
      hint: expect.stringContaining("limits.userTokensPerDay"),
    });
    expect((await begin("bob")).status).toBe(200);
  });

  test("are limited in total, across all processes that share the log, and reset the next day", async () => {
    const { records } = memory();
    let now = 86_400_000 * 20_000;
    const quota = () =>
      createTokenQuota(
        records,
        limitsOf({ tokensPerDay: 10 }),
        () => {},
        () => now,
      );
    const [one, other] = [quota(), quota()];
    const usage = { input: 8, output: 2 };
    one.observe(undefined, { type: "step-end", step: "s", finish: "stop", usage });
    await one.close();
    await expect(other.check("ann")).rejects.toThrow(
      "the runs of this server have reached the daily limit of 10 tokens",
    );
    now += 86_400_000;
    await other.check("ann");
  });

  test("are not counted without a limit", async () => {
    const log = memory();
    const { url, server } = await serve(spending, { log });
    await ended(url, await start(url));
    await server.close();
    expect(await log.records.list("tokens", { limit: 10 })).toEqual([]);
  });
});

describe("load", () => {
  test("several late turns refuse starts with 503, but one pause does not", () => {
    const load = createLoad(100, 0);
    let now = 0;
    const turn = (late: number) => load.look((now += 50 + late));
    for (let count = 0; count < 20; count++) turn(5);
    turn(400);
    load.check();
    for (let count = 0; count < 20; count++) turn(300);
    expect(() => load.check()).toThrow(
      /too busy for another run: its event loop is delayed by \d+ ms \(limit: 100 ms\)/,
    );
    for (let count = 0; count < 20; count++) turn(0);
    load.check();
  });

  test("load affects only the response to a start", async () => {
    const { url } = await serve(async function* () {}, { limits: { loopDelayMs: 1 } });
    const until = performance.now() + 10_000;
    let answer: Response;
    do {
      const busyUntil = performance.now() + 150;
      while (performance.now() < busyUntil);
      await new Promise((tick) => setTimeout(tick, 1));
      answer = await post(`${url}/runs`, { message: "hi" });
    } while (answer.status !== 503 && performance.now() < until);
    expect(answer.headers.get("retry-after")).toBe("5");
    expect(await refusal(answer)).toMatchObject({
      status: 503,
      code: "overloaded",
      hint: expect.stringContaining("limits.loopDelayMs"),
    });
    expect((await fetch(`${url}/runs`)).status).toBe(200);
  });
});

test("calls over an agent's limit wait for their turn and show that", async () => {
  let atOnce = 0;
  let most = 0;
  const slow = defineTool({
    name: "slow",
    description: "",
    input: z.object({}),
    run: async () => {
      most = Math.max(most, ++atOnce);
      await new Promise((resolve) => setTimeout(resolve, 5));
      atOnce--;
      return "ok";
    },
  });
  const calls = Array.from({ length: 10 }, (_, index) => ({ call: "slow", id: `c${index}` }));
  const { model } = playing(script("go", calls, [{ say: "done" }]));
  const run = await drive(agent({ name: "test", model, tools: [slow], maxParallelCalls: 3 }), "go");
  expect(most).toBe(3);
  expect(run.all("tool-end").map(({ outcome }) => outcome)).toEqual(calls.map(() => "ok"));
  const statuses = run.all("status").map(({ text }) => text);
  expect(statuses.filter((text) => text === "Waiting for other calls: 3 run at a time.")).toHaveLength(7);
  expect(statuses.filter((text) => text === "")).toHaveLength(7);
});
