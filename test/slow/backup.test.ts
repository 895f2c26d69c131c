import { mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { readArchive, writeArchive } from "../../src/archive.ts";
import { backup } from "../../src/cli/backup.ts";
import { restore } from "../../src/cli/restore.ts";
import type { Entry } from "../../src/events.ts";
import { sqlite } from "../../src/logs/sqlite.ts";
import type { Source } from "../../src/source.ts";
import { onStop, serve, until } from "../serving.ts";

const RUNS = 100;
const temporary = async (): Promise<string> => {
  const directory = await mkdtemp(path.join(tmpdir(), "runcast-backup-"));
  onStop(() => rm(directory, { recursive: true, force: true }));
  return directory;
};
const command = (positionals: string[], directory: string, options: Record<string, string> = {}) => ({
  positionals,
  options,
  environment: {},
  directory,
});

/** Writes text and stores files until it is stopped. */
const busy: Source = async function* (_, { signal, put }) {
  yield { type: "step-start", step: "s" };
  yield { type: "text-start", part: "p" };
  for (let count = 0; !signal.aborted; count += 1) {
    yield { type: "text-delta", part: "p", delta: `word ${count} ` };
    if (count % 50 === 0) {
      const { file, bytes } = await put(`file ${count}`, { mediaType: "text/plain" });
      yield { type: "file", name: `${count}.txt`, file, bytes };
    }
    await new Promise((tick) => setTimeout(tick, 2));
  }
};

describe("a backup while 100 runs are active", () => {
  test("a backup contains everything that was acknowledged, and works as a log elsewhere", async () => {
    const home = await temporary();
    const log = sqlite({ directory: path.join(home, ".runcast") });
    onStop(() => log.close());
    const { url } = await serve(busy, { log, key: "the-admin-key", keys: [{ name: "ann", key: "the-key-of-ann" }] });
    const runs: string[] = [];
    for (let count = 0; count < RUNS; count += 1)
      runs.push(
        (
          (await (
            await fetch(`${url}/runs`, {
              method: "POST",
              headers: {
                authorization: "Bearer the-admin-key",
                accept: "application/json",
                "content-type": "application/json",
              },
              body: '{"message":"hi"}',
            })
          ).json()) as { run: string }
        ).run,
      );
    await until(async () => (await Promise.all(runs.map((run) => log.info(run)))).every((info) => info!.seq > 60));
    const acknowledged = new Map(
      await Promise.all(runs.map(async (run) => [run, (await log.info(run))!.seq] as const)),
    );
    const file = path.join(home, "saved.tar");

    const refused = await fetch(`${url}/admin/backup`, {
      method: "POST",
      headers: { authorization: "Bearer the-key-of-ann" },
    });
    expect(refused.status).toBe(403);
    expect(await backup.run(command([file], home, { url, key: "the-admin-key" }))).toBe(0);

    const elsewhere = await temporary();
    expect(await restore.run(command([file], elsewhere))).toBe(0);
    const restored = sqlite({ directory: path.join(elsewhere, ".runcast") });
    onStop(() => restored.close());
    let files = 0;
    for (const [run, seq] of acknowledged) {
      const entries = (await restored.read(run, 0, seq)) as readonly Entry[];
      expect(entries).toEqual(await log.read(run, 0, seq));
      for (const { event } of entries) {
        if (event.type !== "file") continue;
        const stored = await restored.get(run, event.file!);
        expect(Buffer.concat(await Array.fromAsync(stored!.bytes)).toString()).toBe(
          `file ${event.name.replace(".txt", "")}`,
        );
        files += 1;
      }
    }
    expect(files).toBeGreaterThanOrEqual(RUNS);
  });

  test("a backup of a stopped server is read from its directory, and existing files are never overwritten", async () => {
    const home = await temporary();
    const log = sqlite({ directory: path.join(home, ".runcast") });
    await log.append("r", [{ seq: 1, at: 1, event: { type: "run-start", protocol: 2, run: "r", name: "a" } }]);
    await log.close();
    const file = path.join(home, "saved.tar");
    const environment = { RUNCAST_URL: "http://127.0.0.1:9" };
    expect(await backup.run({ ...command([file], home), environment })).toBe(0);
    await expect(backup.run({ ...command([file], home), environment })).rejects.toThrow(/already exists/);
    await expect(restore.run(command([file], home))).rejects.toThrow(/is not empty/);
  });

  test("a truncated or invalid backup is refused and leaves nothing", async () => {
    const home = await temporary();
    const log = sqlite({ directory: path.join(home, ".runcast") });
    await log.close();
    const file = path.join(home, "saved.tar");
    await backup.run({ ...command([file], home), environment: { RUNCAST_URL: "http://127.0.0.1:9" } });
    const whole = await readFile(file);
    const elsewhere = await temporary();
    const broken = path.join(elsewhere, "broken.tar");
    for (const bytes of [whole.subarray(0, whole.length - 1024), whole.subarray(0, 700), Buffer.from("nonsense")]) {
      await writeFile(broken, bytes);
      await expect(restore.run(command([broken], elsewhere))).rejects.toThrow();
    }
    await rm(broken);
    expect(await readdir(elsewhere)).toEqual([]);
  });
});

describe("an archive", () => {
  const files = async function* (...names: string[]) {
    for (const name of names) yield { name, size: 700, bytes: pieces() };
  };
  const pieces = async function* () {
    yield new Uint8Array(300);
    yield new Uint8Array(400);
  };

  test("keeps names and bytes, however they are split", async () => {
    const long = `files/${"r".repeat(64)}/${"f".repeat(60)}`;
    const bytes = Buffer.concat(await Array.fromAsync(writeArchive(files("log.db", long))));
    for (const size of [1, 511, 100_000]) {
      const cut = async function* () {
        for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
      };
      const found: [string, number][] = [];
      for await (const file of readArchive(cut()))
        found.push([file.name, Buffer.concat(await Array.fromAsync(file.bytes)).length]);
      expect(found).toEqual([
        ["log.db", 700],
        [long, 700],
      ]);
    }
  });

  test.each(["../out", "/etc/passwd", "a/../b", "a//b", ".hidden", "a\\b"])("rejects %s", async (name) => {
    const bytes = writeArchive(files(name));
    await expect(Array.fromAsync(readArchive(bytes))).rejects.toThrow(/not from Runcast/);
  });
});
