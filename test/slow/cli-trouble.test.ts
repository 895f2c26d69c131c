import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import http from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { text as readAll } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Entry } from "../../src/events.ts";
import { native } from "../../src/dialects/native.ts";
import { memory } from "../../src/logs/memory.ts";
import { createServer } from "../../src/server.ts";

const cli = path.join(import.meta.dirname, "../../src/cli.ts");
const golden = path.join(import.meta.dirname, "../../golden/runs/long.jsonl");

let directory: string;
beforeAll(async () => void (directory = await mkdtemp(path.join(tmpdir(), "runcast-cli-trouble-"))));
afterAll(() => rm(directory, { recursive: true, force: true }));

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

const end = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGKILL");
  await once(child, "exit");
};

const launch = (...args: readonly string[]) => {
  const { PORT: _, FORCE_COLOR: __, ...environment } = process.env;
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", cli, ...args], {
    cwd: directory,
    env: { ...environment, RUNCAST_URL: "http://127.0.0.1:9" },
  });
  stops.push(() => end(child));
  return child;
};

const runcast = async (...args: readonly string[]) => {
  const child = launch(...args);
  const [out, error] = await Promise.all([readAll(child.stdout), readAll(child.stderr), once(child, "exit")]);
  return { out, error, code: child.exitCode };
};

test("a server whose reader is gone (`| tee`, and Ctrl-C for both) still ends its runs", async () => {
  const child = launch("serve", "--port", "0");
  let printed = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (printed += text));
  while (!printed.includes("  try ")) await once(child.stdout, "data");
  const url = /http:\/\/\S+/.exec(printed)![0];
  await fetch(`${url}/runs`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify({ run: "r", message: "cancel" }),
  });
  child.stdout.destroy();
  child.kill("SIGINT");
  expect(await once(child, "exit")).toEqual([0, null]);
  const entries = (await runcast("export", "r")).out.trimEnd().split("\n");
  expect((JSON.parse(entries.at(-1)!) as Entry).event).toMatchObject({ type: "run-end", outcome: "interrupted" });
});

test("a command whose reader is gone (`| head`) ends quietly", async () => {
  const child = launch("replay", golden, "--speed", "5");
  const complaints = readAll(child.stderr);
  await once(child.stdout, "data");
  child.stdout.destroy();
  expect(await once(child, "exit")).toEqual([0, null]);
  expect(await complaints).toBe("");
});

describe("failures are explained without a stack trace", () => {
  test("an address that cannot be parsed, a key that cannot be sent", async () => {
    for (const [args, message] of [
      [["watch", "http://127.0.0.1:9/runs/%zz"], "is not properly encoded"],
      [["export", "x", "--key", "ключ"], "the key contains characters that are not allowed in a header"],
    ] as const)
      expect(await runcast(...args)).toEqual({ out: "", code: 2, error: expect.stringContaining(message) });
    const watched = await runcast("watch", "x", "--key", "ключ");
    expect(watched).toMatchObject({ code: 1, error: expect.stringMatching(/^runcast watch: the key.*\n$/) });
  });

  test("an export that is cut off, or that cannot be written", async () => {
    const line = '{"seq":1}\n';
    const server = http.createServer((_, response) => {
      response.writeHead(200).write(line, () => setImmediate(() => response.destroy()));
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    stops.push(() => server.close());
    const url = `http://127.0.0.1:${(server.address() as { port: number }).port}/runs/r`;
    const broken = { code: 1, error: expect.stringMatching(/^runcast [^\n]*terminated\n$/) };
    expect(await runcast("export", url)).toMatchObject({ ...broken, out: line });
    expect(await runcast("check", url)).toMatchObject({ ...broken, out: "" });
    const nowhere = path.join(directory, "none", "x.jsonl");
    const unwritten = await runcast("export", url, "--output", nowhere);
    expect(unwritten).toMatchObject({
      code: 1,
      error: expect.stringContaining(`cannot write ${nowhere}: there is no`),
    });
    expect(unwritten.error.trimEnd()).not.toContain("\n");
  });
});

test("a file's content never reaches the terminal as an escape sequence, even in error messages", async () => {
  const file = path.join(directory, "hostile.jsonl");
  await writeFile(file, "\x1b]0;owned\x07\n");
  const { error, code } = await runcast("replay", file);
  expect(error).toContain(`${file}:1: this is not JSON`);
  expect(error).not.toMatch(/[^\n\x20-\x7e]/);
  expect(code).toBe(1);
});

test.each(["SIGINT", "SIGTERM"] as const)("a replay that %s stops keeps its output", async (signal) => {
  const whole = await runcast("replay", golden, "--speed", "max");
  const child = launch("replay", golden, "--speed", "0.01");
  let out = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
  await once(child.stdout, "data");
  child.kill(signal);
  expect(await once(child, "close")).toEqual([130, null]);
  expect(out).toMatch(/\n$/);
  expect(whole.out.startsWith(out)).toBe(true);
});

test("Ctrl-C ends watch, and the run continues", async () => {
  const server = createServer({
    agents: {
      test: async function* (_, { signal }) {
        yield { type: "step-start", step: "s" };
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
      },
    },
    log: memory(),
    dialects: [native],
    runner: { graceMs: 100 },
  });
  stops.push(() => server.close());
  const { url } = await server.listen();
  const child = launch("watch", url, "--message", "x");
  let out = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
  while (!/run \w+\n/.test(out)) await once(child.stdout, "data");
  child.kill("SIGINT");
  expect(await once(child, "close")).toEqual([130, null]);
  expect(out).toContain("(stopped watching; the run continues)\n");
  expect(server.runner.active).toBe(1);
});

test("the command for answering is safe to paste, whatever an agent names its asks", async () => {
  const server = createServer({
    agents: {
      test: async function* (_, { answerTo }) {
        const [ask, value] = ["it's (a) * `x` $y \ud83d", "$(echo owned) 'quoted'"];
        yield { type: "ask-start", ask, kind: "choice", options: [{ value }] };
        await answerTo(ask);
      },
    },
    log: memory(),
    dialects: [native],
    runner: { graceMs: 100 },
  });
  stops.push(() => server.close());
  const { url } = await server.listen();
  const child = launch("watch", url, "--message", "x");
  let out = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
  while (!/curl .*\n/.test(out)) await once(child.stdout, "data");
  const command = /curl .*/.exec(out)![0];
  const words = execFileSync("sh", ["-c", `curl() { printf '%s\\n' "$@"; }\n${command}`], { encoding: "utf8" });
  const [address, , , , body] = words.split("\n");
  expect(address).toMatch(/\/asks\/it%27s%20%28a%29%20%2A%20%60x%60%20%24y%20%EF%BF%BD$/);
  expect(JSON.parse(body!)).toEqual({ value: "$(echo owned) 'quoted'" });
});
