import { describe, expect, test } from "vitest";
import { keptRuns } from "../src/cli/retention.ts";
import { memory } from "../src/logs/memory.ts";
import { createBodyBudget } from "../src/server/body-budget.ts";
import { createQuotas } from "../src/server/quotas.ts";
import type { Source } from "../src/source.ts";
import { ended, eventsOf, post, refusal, serve, silent, start, until, wire } from "./serving.ts";

/** Stores files of these sizes alongside its log, one after the other. */
const keeping = (...sizes: number[]): Source =>
  async function* (_, { put }) {
    yield { type: "step-start", step: "s" };
    for (const [index, size] of sizes.entries()) {
      const file = await put(new Uint8Array(size), { mediaType: "application/octet-stream" });
      yield { type: "file", name: `${index}`, file: file.file, bytes: file.bytes };
    }
  };

describe("a run", () => {
  test("ends when its log and files together exceed its limit", async () => {
    const log = memory();
    const { url } = await serve(keeping(40_000, 40_000, 40_000), { log, runner: { maxBytes: 100_000 } });
    const run = await start(url);
    const events = eventsOf(await ended(url, run));
    expect(events.filter(({ type }) => type === "file")).toHaveLength(2);
    expect(events.at(-1)).toMatchObject({ type: "run-end", outcome: "error", error: { code: "too-large" } });
  });
});

describe("a daily quota", () => {
  const limits = { userBytesPerDay: 50_000, bytesPerDay: 1_000_000 };

  test("a quota per user applies in every process that shares the log, and not to other users", async () => {
    const log = memory();
    const one = await serve(keeping(60_000), { log, limits });
    const run = await start(one.url, { user: { id: "ann" } });
    await ended(one.url, run);
    await one.server.close();
    const other = await serve(silent, { log, limits });
    const refused = await post(`${other.url}/runs`, { message: "hi", user: { id: "ann" } });
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await refusal(refused)).toMatchObject({ status: 429, code: "quota" });
    expect(await start(other.url, { user: { id: "bob" } })).toBeTruthy();
  });

  test("a total quota counts all users, and resets the next day", async () => {
    let now = 1_800_000_000_000;
    const quotas = createQuotas(
      memory(),
      { userBytesPerDay: 1e9, bytesPerDay: 1000 },
      () => expect.unreachable(),
      () => now,
    );
    await quotas.log.put("run", new Uint8Array(2000), { mediaType: "text/plain" });
    await quotas.close();
    await expect(quotas.check("ann")).rejects.toMatchObject({ status: 429, code: "quota" });
    await expect(quotas.check(undefined)).rejects.toMatchObject({ status: 429 });
    now += 86_400_000;
    await quotas.check("ann");
  });
});

describe("request bodies", () => {
  const head = (length: number) =>
    `POST /runs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;

  test("bodies that are never completed are dropped, the oldest first", () => {
    const refused: string[] = [];
    const budget = createBodyBudget(100);
    const bodies = ["a", "b", "c"].map((name) => budget.begin(() => refused.push(name)));
    bodies[0]!.grow(40);
    bodies[1]!.grow(40);
    expect(refused).toEqual([]);
    bodies[2]!.grow(40);
    expect(refused).toEqual(["a"]);
    bodies[0]!.grow(1000);
    bodies[1]!.end();
    bodies[2]!.grow(60);
    expect(refused).toEqual(["a"]);
  });

  test("bodies that are never completed are refused, and other requests are served", async () => {
    const { url, port } = await serve(silent, { limits: { pendingBodyBytes: 200_000 } });
    const slow = Array.from({ length: 20 }, () => wire(port));
    for (const { send } of slow) send(head(100_000) + "x".repeat(50_000));
    await until(() => slow.filter(({ received }) => received().includes(" 503 ")).length === 16);
    const answers = slow.map(({ received }) => received()).filter(Boolean);
    for (const answer of answers) expect(answer).toContain("too-many-bodies");
    expect(await start(url)).toBeTruthy();
  });

  test.each([
    ["one that is too large", head(1e12), " 413 "],
    ["one of the wrong type", head(1e12).replace("application/json", "text/html"), " 415 "],
    ["one for a path without a body", head(1e12).replace("/runs", "/agents"), " 405 "],
  ])("refused bodies are read only briefly: %s", async (_, request, status) => {
    const { port } = await serve(silent);
    const { socket, send, received, until: receives } = wire(port);
    let sent = 0;
    const piece = "x".repeat(64 * 1024);
    send(request);
    const pour = () => {
      while (!socket.destroyed && socket.write(piece)) sent += piece.length;
    };
    socket.on("drain", pour);
    pour();
    await receives((_text, isClosed) => isClosed);
    expect(received()).toContain(status);
    // Excludes the kernel's buffers on both sides, which were sent but not read.
    expect(sent).toBeLessThan(64 * 1024 * 1024);
  });
});

describe("retention", () => {
  const entry = { seq: 1, at: 1, event: { type: "run-start", protocol: 2, run: "r", name: "a" } } as const;

  test("is 30 days for a new log, and does not change", async () => {
    const log = memory();
    for (let count = 0; count < 2; count += 1) {
      const { policy, text } = await keptRuns({}, log);
      expect(policy).toEqual({ maxAgeMs: 30 * 86_400_000 });
      expect(text).toBe("for 30 days after they end (the default; change it with the retention setting)");
      await log.append(`r${count}`, [entry]);
    }
  });

  test("is unlimited for an older log: an upgrade deletes nothing", async () => {
    const log = memory();
    await log.append("r", [entry]);
    const { policy, text } = await keptRuns({}, log);
    expect(policy).toBeUndefined();
    expect(text).toContain("forever");
  });

  test("follows the configuration", async () => {
    const retention = { maxRuns: 10, maxAgeMs: 3_600_000 };
    expect(await keptRuns({ retention }, memory())).toEqual({
      policy: retention,
      text: "the newest 10, for 1 hour after they end",
    });
    expect(await keptRuns({ retention: {} }, memory())).toEqual({ policy: {}, text: "forever" });
  });
});
