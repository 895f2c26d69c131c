import { spawnSync } from "node:child_process";
import { existsSync, globSync } from "node:fs";
import { open, rm, stat, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { createClient } from "../../src/client.ts";
import type { Entry } from "../../src/events.ts";
import { ended, useCommandLine } from "../command-line.ts";
import { absent, findProgram } from "../components.ts";

const { launch, serve, home } = useCommandLine();
const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).toReversed()) await step();
});

/** Emits consecutive numbers until it is stopped, so that a missing or duplicate number is visible. */
const CONFIG = `const counter = async function* (_, { signal }) {
  yield { type: "step-start", step: "s" };
  yield { type: "text-start", part: "p" };
  for (let count = 0; !signal.aborted; count += 1) {
    yield { type: "text-delta", part: "p", delta: " " + count };
    await new Promise((tick) => setTimeout(tick, 20));
  }
};
export default { agents: { counter } };`;

const configured = async (directory: string) => {
  await writeFile(path.join(directory, "runcast.config.mjs"), CONFIG);
  return directory;
};

/** A server in this directory, the errors it reports, and a viewer of a run. */
const start = async (cwd: string, env: Record<string, string> = {}) => {
  const { child, url } = await serve([], { cwd, env });
  let reported = "";
  child.stderr.on("data", (text) => (reported += String(text)));
  const entries: Entry[] = [];
  const client = createClient({ url, backoff: () => 100 });
  const stop = new AbortController();
  undo.push(() => stop.abort());
  const handle = client.start({ message: "count" }, { onEntry: (entry) => entries.push(entry), signal: stop.signal });
  handle.finished.catch(() => {});
  const text = () => entries.flatMap(({ event }) => (event.type === "text-delta" ? event.delta : [])).join("");
  const counted = () => text().trim().split(" ").map(Number);
  const goesOn = async () => {
    const before = counted().length;
    await expect.poll(() => counted().length).toBeGreaterThan(before + 5);
    expect(counted()).toEqual(counted().map((_, index) => index));
    expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, index) => index + 1));
  };
  await goesOn();
  const ready = async () => (await fetch(`${url}/ready`)).status;
  const post = (body: object) =>
    fetch(`${url}/runs`, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json" },
      body: JSON.stringify(body),
    });
  return {
    child,
    url,
    entries,
    handle,
    goesOn,
    ready,
    post,
    reported: () => reported,
    log: path.join(cwd, ".runcast"),
  };
};

const STOP_MS = process.env["RUNCAST_LONG"] === "1" ? 60_000 : 3000;

test("a suspended process: the viewer gets everything once, and the run continues", async () => {
  const { child, goesOn, ready, handle, reported } = await start(await configured(await home("stopped")));
  child.kill("SIGSTOP");
  undo.push(() => child.kill("SIGCONT"));
  await new Promise((passes) => setTimeout(passes, STOP_MS));
  child.kill("SIGCONT");
  await goesOn();
  expect(await ready()).toBe(200);
  expect(handle.state.outcome).toBeUndefined();
  expect(reported()).toBe("");
  await handle.cancel();
}, 180_000);

describe("a database", () => {
  test("after the database is deleted, /ready fails, the operator gets the reason, and viewers continue", async () => {
    const { log, goesOn, ready, reported, url } = await start(await configured(await home("deleted")));
    await rm(path.join(log, "log.db"));
    await expect.poll(ready).toBe(503);
    expect(await (await fetch(`${url}/ready`)).text()).not.toContain(log);
    await expect.poll(reported).toContain(log);
    await goesOn();
  });

  const damage = async (log: string) => {
    for (const name of ["log.db", "log.db-wal"]) {
      const file = path.join(log, name);
      if (!existsSync(file)) continue;
      const { size } = await stat(file);
      const opened = await open(file, "r+");
      await opened.write(Buffer.alloc(size, 0x7a), 0, size, 0);
      await opened.close();
    }
  };

  test("after the database is damaged, /ready fails, the operator gets the reason, and no response reveals where the log is", async () => {
    const { log, url, handle, ready, reported } = await start(await configured(await home("damaged")));
    await damage(log);
    await expect.poll(ready).toBe(503);
    await expect.poll(reported).toMatch(/damaged/);
    await expect.poll(reported).toContain(log);
    for (const address of ["/ready", "/runs", `/runs/${handle.run}`, `/runs/${handle.run}/export.jsonl`])
      expect(await (await fetch(url + address)).text().catch(String)).not.toContain(log);
  });

  test("with a damaged database, the server does not start and reports it in one line", async () => {
    const cwd = await configured(await home("damaged-start"));
    const { child, log } = await start(cwd);
    child.kill("SIGKILL");
    await new Promise((gone) => child.once("exit", gone));
    await damage(log);
    const { error, code } = await ended(launch(["serve", "--port", "0"], { cwd }));
    expect([code, error.trim().split("\n").length]).toEqual([1, 1]);
    expect(error).toMatch(/^runcast serve: the log in .* (?:damaged|database)/);
  });
});

const command = (name: string, args: readonly string[]) => spawnSync(findProgram(name) ?? name, args);
const isRoot = process.getuid?.() === 0;
const mounted = async (name: string): Promise<string | undefined> => {
  const directory = await home(name);
  if (command("mount", ["-t", "tmpfs", "-o", "size=8m", "tmpfs", directory]).status !== 0) return undefined;
  undo.push(() => command("umount", ["-l", directory]));
  return directory;
};
/** A disk that the kernel makes read-only at its first error, while files on it are open. Undefined without ext4. */
const failingDisk = async (name: string) => {
  const directory = await home(name);
  const image = path.join(await home(`${name}-image`), "disk");
  command("truncate", ["-s", "16M", image]);
  command("mkfs.ext4", ["-q", image]);
  if (command("mount", ["-o", "loop,errors=remount-ro", image, directory]).status !== 0) return undefined;
  undo.push(() => command("umount", ["-l", directory]));
  const device = String(command("findmnt", ["-no", "SOURCE", directory]).stdout).trim();
  const trigger = `/sys/fs/ext4/${path.basename(device)}/trigger_fs_error`;
  return existsSync(trigger) ? { directory, fail: () => writeFile(trigger, "1") } : undefined;
};
const canMount = (): boolean => {
  const probe = "/mnt";
  if (!isRoot || command("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", probe]).status !== 0) return false;
  command("umount", [probe]);
  return true;
};

if (!canMount()) absent("a disk", "this process may not mount one", { isRequired: false });
else
  describe("a disk", () => {
    test("on a full disk, starts are refused, the run ends with the reason once there is room, and then everything works", async () => {
      const cwd = await configured((await mounted("full"))!);
      const { log, url, ready, post, reported, entries } = await start(cwd);
      const filler = path.join(cwd, "filler");
      command("dd", ["if=/dev/zero", `of=${filler}`, "bs=4096"]);
      await expect.poll(ready).toBe(503);
      const refused = await post({ message: "more" });
      const text = await refused.text();
      expect(refused.status).toBeGreaterThanOrEqual(500);
      expect(text).not.toContain(log);
      await expect.poll(reported).toContain("the disk is full");
      await expect.poll(reported).toContain(log);
      const unstored = async () => (await (await fetch(`${url}/metrics`)).text()).match(/state="storage"\} (\d+)/)?.[1];
      await expect.poll(unstored).toBe("1");
      await rm(filler);
      await expect.poll(ready).toBe(200);
      await expect
        .poll(() => entries.at(-1)?.event)
        .toMatchObject({
          type: "run-end",
          outcome: "error",
          error: { message: expect.stringContaining("the disk is full") },
        });
      expect(JSON.stringify(entries)).not.toContain(log);
      expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, index) => index + 1));
      const again = createClient({ url }).start({ message: "count" });
      await expect.poll(() => again.state.seq).toBeGreaterThan(5);
      await again.cancel();
    });

    test("on a disk that turns read-only, starts are refused, viewers keep what was stored, and the operator gets the reason", async (context) => {
      const disk = await failingDisk("failing");
      if (!disk) return context.skip("this machine has no ext4 whose errors can be triggered");
      const { child, log, url, ready, post, reported, entries, handle } = await start(await configured(disk.directory));
      await disk.fail();
      await expect.poll(ready).toBe(503);
      const refused = await post({ message: "more" });
      const text = await refused.text();
      expect(refused.status).toBeGreaterThanOrEqual(500);
      expect(text).toMatch(/"message":"[^"]{8,}/);
      expect(text).not.toContain(log);
      await expect.poll(reported).toMatch(/read-only|cannot be written/);
      await expect.poll(reported).toContain(log);
      // Stored entries can still be read, and the process continues.
      const stored = await (await fetch(`${url}/runs/${handle.run}/export.jsonl`)).text();
      expect(stored.trim().split("\n").length).toBeGreaterThanOrEqual(5);
      expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, index) => index + 1));
      expect(child.exitCode).toBeNull();
      // The next heartbeat tells the viewer why nothing arrives.
      await expect.poll(() => JSON.stringify(handle.connection), { timeout: 40_000 }).toContain('"waiting":"storage"');
    });

    test("on a read-only disk, the server does not start and reports the reason", async () => {
      const cwd = await configured((await mounted("read-only"))!);
      command("mount", ["-o", "remount,ro", cwd]);
      const { error, code } = await ended(launch(["serve", "--port", "0"], { cwd }));
      expect(code).toBe(1);
      expect(error).toMatch(/^runcast serve: .*(?:read-only|cannot be written|not writable)/);
      expect(error).not.toMatch(/\n\s+at /);
    });
  });

/** Not the program: it fails if an ended process with its id left a semaphore behind. */
const [faketime] = globSync("/usr/{lib,lib64,local/lib}{,/*}/faketime/libfaketime.so.1");
if (!faketime) absent("a clock", "faketime is not installed");
else
  describe("a clock", () => {
    test.each([
      ["back an hour", -3600],
      ["forward two hours", 7200],
    ])("a clock set %s affects no viewers, starts or runs", async (_, step) => {
      const cwd = await configured(await home("clock"));
      const file = path.join(cwd, "time");
      await writeFile(file, "+0");
      const env = {
        LD_PRELOAD: faketime,
        FAKETIME_TIMESTAMP_FILE: file,
        FAKETIME_CACHE_DURATION: "1",
        DONT_FAKE_MONOTONIC: "1",
      };
      const { goesOn, ready, post, url, handle, entries, reported } = await start(cwd, env);
      const dated = async () => Date.parse((await fetch(`${url}/health`)).headers.get("date") ?? "");
      await writeFile(file, `${step > 0 ? "+" : ""}${step}`);
      await utimes(file, new Date(), new Date());
      const away = Math.abs(step) * 500;
      await expect.poll(async () => Math.abs((await dated()) - Date.now())).toBeGreaterThan(away);
      await goesOn();
      expect(await ready()).toBe(200);
      for (let count = 0; count < 5; count += 1) {
        const started = await post({ message: "count" });
        expect(started.status).toBe(202);
        const { run } = (await started.json()) as { run: string };
        await fetch(`${url}/runs/${run}/cancel`, { method: "POST" });
      }
      expect(handle.state.outcome).toBeUndefined();
      // Timestamps in a log never decrease.
      expect(entries.every(({ at }, index) => index === 0 || at >= entries[index - 1]!.at)).toBe(true);
      expect(reported()).toBe("");
      await handle.cancel();
    });
  });
