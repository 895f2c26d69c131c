import { createHash, randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Log } from "../../src/log.ts";
import { describeLogs } from "./each-log.ts";
import { endEntry, startEntry } from "./run-entries.ts";

describeLogs("files alongside a log", (_, variant) => {
  let directory: string;
  let log: Log;

  beforeEach(async () => {
    directory = await mkdtemp(path.join(tmpdir(), "runcast-log-"));
    log = await variant.open(directory);
  });
  afterEach(async () => {
    await log.close();
    await rm(directory, { recursive: true, force: true });
  });

  const bytesOf = async (run: string, file: string, range?: { start?: number; end?: number }) => {
    const stored = await log.get(run, file, range);
    if (!stored) return undefined;
    const chunks: Uint8Array[] = [];
    for await (const chunk of stored.bytes) chunks.push(chunk);
    return Buffer.concat(chunks);
  };
  const plain = { mediaType: "text/plain" };
  const binary = { mediaType: "application/octet-stream" };

  test("stores bytes unchanged, empty or large, before and after the run starts", async () => {
    const large = randomBytes(10 * 1024 * 1024);
    const empty = await log.put("a", new Uint8Array(), binary);
    await log.append("a", [startEntry("a")]);
    const ref = await log.put("a", large, binary);
    expect(empty).toMatchObject({ bytes: 0, ...binary });
    expect(ref).toEqual({ file: ref.file, bytes: large.length, ...binary });
    expect(ref.file).not.toBe(empty.file);
    expect(await bytesOf("a", empty.file)).toEqual(Buffer.alloc(0));
    const hash = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
    expect(hash((await bytesOf("a", ref.file))!)).toBe(hash(large));
    expect(await log.get("a", ref.file)).toMatchObject({ size: large.length, ...binary });
  });

  test("does not share memory with the caller", async () => {
    const bytes = Buffer.from("before");
    const { file } = await log.put("a", bytes, plain);
    bytes.write("AFTER!");
    expect(String(await bytesOf("a", file))).toBe("before");
  });

  test("returns ranges", async () => {
    const bytes = Buffer.from("0123456789");
    const { file } = await log.put("a", bytes, plain);
    for (const [start, end] of [
      [0, 10],
      [3, 7],
      [3, 3],
      [7, 3],
      [9, 99],
      [10, 20],
      [99, 100],
      [0, 0],
    ] as const) {
      expect(String(await bytesOf("a", file, { start, end }))).toBe("0123456789".slice(start, Math.max(start, end)));
    }
    expect(String(await bytesOf("a", file, { start: 4 }))).toBe("456789");
    expect(String(await bytesOf("a", file, { end: 4 }))).toBe("0123");
    expect((await log.get("a", file, { start: 4 }))?.size).toBe(10);
  });

  test("returns the edges of text, cut between characters", async () => {
    const short = await log.put("a", Buffer.from("short é"), plain);
    expect(short).toMatchObject({ bytes: 8, head: "short é" });
    expect(short.tail).toBeUndefined();
    const text = `x${"é🙂".repeat(5000)}`;
    const long = await log.put("a", Buffer.from(text), { mediaType: "application/json" });
    for (const edge of [long.head!, long.tail!]) {
      expect(Buffer.byteLength(edge)).toBeGreaterThan(4000);
      expect(Buffer.byteLength(edge)).toBeLessThanOrEqual(4096);
    }
    expect(text.startsWith(long.head!)).toBe(true);
    expect(text.endsWith(long.tail!)).toBe(true);
    expect(String(await bytesOf("a", long.file))).toBe(text);
  });

  test("accepts any name, and none escapes the directory", async () => {
    for (const name of ["../../etc/passwd", "a/b\\c", "naïve 🙂.txt", "nul\0", " ", ".", "x".repeat(5000)]) {
      const ref = await log.put("a", Buffer.from(name), { ...plain, name });
      expect(ref.name).toBe(name);
      expect(ref.file).toMatch(/^[\w-]{8,64}$/);
      expect((await log.get("a", ref.file))?.name).toBe(name);
      expect(String(await bytesOf("a", ref.file))).toBe(name);
    }
  });

  test("is not found by another run, another id or a path", async () => {
    const { file } = await log.put("a", Buffer.from("x"), plain);
    expect(await log.get("b", file)).toBeUndefined();
    for (const other of ["", ".", "..", `../a/${file}`, `./${file}`, "../../log.db", `${file}\0`, "x"])
      expect(await log.get("a", other)).toBeUndefined();
  });

  test("is discarded separately: another start of the same run keeps its own", async () => {
    const [mine, others] = await Promise.all([
      log.put("a", Buffer.from("1"), plain),
      log.put("a", Buffer.from("2"), plain),
    ]);
    await log.append("a", [startEntry("a")]);
    for (const file of [mine.file, "no-such-file", "../../log.db"]) await log.discard("a", [file]);
    await log.discard("never", [others.file]);
    expect(await log.get("a", mine.file)).toBeUndefined();
    expect(String(await bytesOf("a", others.file))).toBe("2");
  });

  test("is removed with its run", async () => {
    const files = await Promise.all(["a", "b"].map((run) => log.put(run, Buffer.from(run), plain)));
    for (const run of ["a", "b"]) await log.append(run, [startEntry(run), endEntry(2)]);
    await log.drop("a");
    expect(await log.get("a", files[0]!.file)).toBeUndefined();
    expect(String(await bytesOf("b", files[1]!.file))).toBe("b");
    expect(await log.retain({ maxRuns: 0 }, 0)).toBe(1);
    expect(await log.get("b", files[1]!.file)).toBeUndefined();
  });

  if (!variant.durable) return;

  test("is still there after the log was closed, unless its run never started", async () => {
    const kept = await log.put("a", Buffer.from("kept"), { ...plain, name: "n" });
    const stray = await log.put("never", Buffer.from("stray"), plain);
    await log.append("a", [startEntry("a")]);
    await log.close();
    log = await variant.open(directory);
    await variant.pass(86_400_000);
    expect(await log.get("a", kept.file)).toMatchObject({ name: "n", size: 4, ...plain });
    expect(String(await bytesOf("a", kept.file))).toBe("kept");
    expect(await log.get("never", stray.file)).toBeUndefined();
  });
});
