import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Entry } from "../../src/events.ts";
import { type Log, LogConflict, LogMissing } from "../../src/log.ts";
import { type LogVariant, logVariants } from "../contracts/log-variants.ts";
import { endEntry, startEntry, textEntries } from "../contracts/run-entries.ts";

/** What any log must answer like: arrays, and nothing clever. */
interface Model {
  readonly runs: Map<string, { readonly run: string; entries: Entry[]; files: string[]; dropped: boolean }>;
}
interface Real {
  log: Log;
  readonly reopen: () => Promise<void>;
}
type Operation = fc.AsyncCommand<Model, Real>;

const operation = (name: string, run: Operation["run"]): Operation => ({
  check: () => true,
  run,
  toString: () => name,
});
const attempt = (work: () => unknown) => (async () => work())().catch((error: unknown) => error);
const endOf = (entries: readonly Entry[]) => entries.find(({ event }) => event.type === "run-end")?.at;
const finished = (model: Model) =>
  [...model.runs.values()]
    .filter(({ entries, dropped }) => !dropped && endOf(entries) !== undefined)
    .sort((one, other) => endOf(one.entries)! - endOf(other.entries)!);

const append = (runs: readonly string[], count: number, padding: number, end: number | undefined) =>
  operation(`append ${count} to ${runs}, end ${end}`, async (model, { log }) => {
    await Promise.all(
      runs.map(async (run) => {
        const known = model.runs.get(run);
        const seq = known?.entries.length ?? 0;
        if (known?.dropped) {
          const result = await attempt(() => log.append(run, textEntries(seq + 1, 1)));
          expect(result).toBeInstanceOf(LogMissing);
          return;
        }
        const last = seq && known!.entries[seq - 1]!.event.type === "run-end";
        if (last) return;
        const entries = seq === 0 ? [startEntry(run, { thread: `thread-${run.length}` })] : [];
        entries.push(...textEntries(seq + entries.length + 1, count, "x".repeat(padding)));
        if (end !== undefined) entries.push(endEntry(seq + entries.length + 1, { at: end }));
        if (!known) model.runs.set(run, { run, entries: [], files: [], dropped: false });
        await log.append(run, entries);
        model.runs.get(run)!.entries.push(...entries);
      }),
    );
  });

const conflict = (run: string, off: number) =>
  operation(`conflict on ${run} by ${off}`, async (model, { log }) => {
    const known = model.runs.get(run);
    if (known?.dropped) return;
    const seq = Math.max(1, (known?.entries.length ?? 0) + 1 + off);
    if (seq === (known?.entries.length ?? 0) + 1) return;
    expect(await attempt(() => log.append(run, textEntries(seq, 2)))).toBeInstanceOf(LogConflict);
  });

const read = (run: string, share: number, limit: number) =>
  operation(`read ${run} from ${share}, at most ${limit}`, async (model, { log }) => {
    const known = model.runs.get(run);
    const after = Math.floor(share * (known?.entries.length ?? 0));
    const result = await attempt(() => log.read(run, after, limit));
    if (!known || known.dropped) expect(result).toMatchObject({ name: "LogMissing", dropped: known?.dropped ?? false });
    else expect(result).toEqual(known.entries.slice(after, after + limit));
  });

const look = (before: string | undefined, open: boolean) =>
  operation(`look before ${before}, open ${open}`, async (model, { log }) => {
    const known = [...model.runs.values()];
    for (const { run, entries, dropped } of known) {
      const info = await log.info(run);
      expect(info).toMatchObject({ run, seq: entries.length, startedAt: 1000, thread: `thread-${run.length}` });
      expect(info).toMatchObject({ endedAt: endOf(entries) });
      expect(info?.dropped ?? false).toBe(dropped);
    }
    const place = before === undefined ? known.length : known.findIndex(({ run }) => run === before);
    const older = known.slice(0, Math.max(0, place)).reverse();
    const expected = older.filter(({ entries, dropped }) => !dropped && !(open && endOf(entries) !== undefined));
    const list = await log.list({ limit: 3, before, open });
    expect(list.map(({ run, seq }) => [run, seq])).toEqual(
      expected.slice(0, 3).map(({ run, entries }) => [run, entries.length]),
    );
  });

const putFile = (run: string, content: string) =>
  operation(`put ${content} beside ${run}`, async (model, { log }) => {
    const known = model.runs.get(run);
    if (!known || known.dropped) return;
    const { file } = await log.put(run, Buffer.from(content), { mediaType: "text/plain", name: content });
    known.files.push(file);
    for (const each of known.files) expect(await log.get(run, each)).toBeDefined();
  });

const forget = (model: Model, run: string) => {
  model.runs.get(run)!.dropped = true;
};

const drop = (run: string) =>
  operation(`drop ${run}`, async (model, { log }) => {
    const known = model.runs.get(run);
    const result = await attempt(() => log.drop(run));
    if (!known || known.dropped) return expect(result).toBeUndefined();
    if (endOf(known.entries) === undefined) return expect(result).toBeInstanceOf(Error);
    expect(result).toBeUndefined();
    forget(model, run);
    for (const file of known.files) expect(await log.get(run, file)).toBeUndefined();
  });

const retain = (maxRuns: number | undefined, maxAgeMs: number | undefined) =>
  operation(`retain ${maxRuns} runs, ${maxAgeMs} ms`, async (model, { log }) => {
    const now = 10_000;
    const runs = finished(model);
    const old = maxAgeMs === undefined ? [] : runs.filter(({ entries }) => endOf(entries)! < now - maxAgeMs);
    const leaving = runs.slice(0, Math.max(old.length, maxRuns === undefined ? 0 : runs.length - maxRuns));
    expect(await log.retain({ maxRuns, maxAgeMs }, now)).toBe(leaving.length);
    for (const { run } of leaving) forget(model, run);
  });

const reopen = () => operation("reopen", async (_model, real) => real.reopen());

const operations = ({ durable }: LogVariant) => {
  const run = fc.constantFrom("a", "b", "cc", "ddd", "e-1", "f_2");
  const small = fc.integer({ min: 0, max: 12 });
  const several = fc.uniqueArray(run, { minLength: 1, maxLength: 6 });
  const end = fc.option(fc.integer({ min: 8000, max: 10_000 }), { nil: undefined, freq: 3 });
  const one = fc.tuple(several, fc.oneof(small, fc.constant(700)), fc.constantFrom(0, 10, 3000), end);
  return [
    one.map((parts) => append(...parts)),
    one.map((parts) => append(...parts)),
    fc.tuple(run, fc.integer({ min: -3, max: 3 })).map((parts) => conflict(...parts)),
    fc
      .tuple(run, fc.double({ min: 0, max: 1, noNaN: true }), fc.integer({ min: 1, max: 600 }))
      .map((parts) => read(...parts)),
    fc.tuple(fc.option(run, { nil: undefined }), fc.boolean()).map((parts) => look(...parts)),
    fc.tuple(run, fc.string()).map((parts) => putFile(...parts)),
    run.map(drop),
    fc
      .tuple(fc.option(fc.nat(3), { nil: undefined }), fc.option(fc.nat(3000), { nil: undefined }))
      .map((parts) => retain(...parts)),
    ...(durable ? [fc.constant(reopen())] : []),
  ];
};

describe.for(Object.entries(logVariants))("the %s log", ([, variant]) => {
  test("answers any sequence of calls like the model", { timeout: 600_000 }, async () => {
    const sequences = fc.commands(operations(variant), { maxCommands: 40, size: "+1" });
    const property = fc.asyncProperty(sequences, async (commands) => {
      const directory = await mkdtemp(path.join(tmpdir(), "runcast-log-"));
      const real: Real = {
        log: await variant.open(directory),
        reopen: async () => {
          await real.log.close();
          real.log = await variant.open(directory);
        },
      };
      try {
        await fc.asyncModelRun(() => ({ model: { runs: new Map() }, real }), commands);
      } finally {
        await real.log.close();
        await rm(directory, { recursive: true, force: true });
      }
    });
    await fc.assert(property, { numRuns: process.env.RUNCAST_LONG ? 2000 : 25 });
  });
});
