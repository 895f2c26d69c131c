import { expect } from "vitest";
import { LogConflict, LogMissing } from "../../src/log.ts";
import { endEntry, startEntry, textEntries } from "../contracts/run-entries.ts";
import { attempt, canWrite, endOf, type Model, newRun, operation, writerOf } from "./model.ts";

export const append = (
  runs: readonly string[],
  count: number,
  padding: number,
  end: number | undefined,
  owner: string | undefined,
) =>
  operation(`append ${count} to ${runs}, end ${end}, started by ${owner}`, async (model, { log }) => {
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
        if (last || (known && !canWrite(known))) return;
        const entries = seq === 0 ? [startEntry(run, { thread: `thread-${run.length}` })] : [];
        entries.push(...textEntries(seq + entries.length + 1, count, "x".repeat(padding)));
        if (end !== undefined) entries.push(endEntry(seq + entries.length + 1, { at: end }));
        const state = known ?? newRun(run, owner);
        model.runs.set(run, state);
        await log.append(run, entries, writerOf(state));
        state.entries.push(...entries);
        if (end !== undefined) state.controls = [];
      }),
    );
  });

export const conflict = (run: string, off: number) =>
  operation(`conflict on ${run} by ${off}`, async (model, { log }) => {
    const known = model.runs.get(run);
    if (known?.dropped) return;
    const seq = Math.max(1, (known?.entries.length ?? 0) + 1 + off);
    if (seq === (known?.entries.length ?? 0) + 1) return;
    const result = await attempt(() => log.append(run, textEntries(seq, 2), known && writerOf(known)));
    expect(result).toBeInstanceOf(LogConflict);
  });

export const read = (run: string, share: number, limit: number) =>
  operation(`read ${run} from ${share}, at most ${limit}`, async (model, { log }) => {
    const known = model.runs.get(run);
    const after = Math.floor(share * (known?.entries.length ?? 0));
    const result = await attempt(() => log.read(run, after, limit));
    if (!known || known.dropped) expect(result).toMatchObject({ name: "LogMissing", dropped: known?.dropped ?? false });
    else expect(result).toEqual(known.entries.slice(after, after + limit));
  });

export const look = (before: string | undefined, open: boolean) =>
  operation(`look before ${before}, open ${open}`, async (model, { log }) => {
    const known = [...model.runs.values()];
    for (const { run, entries, dropped, owner, epoch } of known) {
      const info = await log.info(run);
      expect(info).toMatchObject({ run, seq: entries.length, startedAt: 1000, thread: `thread-${run.length}` });
      expect(info).toMatchObject({ endedAt: endOf(entries) });
      expect(info).toMatchObject({ owner, epoch });
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

export const putFile = (run: string, content: string) =>
  operation(`put ${content} beside ${run}`, async (model, { log }) => {
    const known = model.runs.get(run);
    if (!known || known.dropped) return;
    const { file } = await log.put(run, Buffer.from(content), { mediaType: "text/plain", name: content });
    known.files.push(file);
    for (const each of known.files) expect(await log.get(run, each)).toBeDefined();
  });

const finished = (model: Model) =>
  [...model.runs.values()]
    .filter(({ entries, dropped }) => !dropped && endOf(entries) !== undefined)
    .sort((one, other) => endOf(one.entries)! - endOf(other.entries)!);

const forget = (model: Model, run: string) => {
  model.runs.get(run)!.dropped = true;
};

export const drop = (run: string) =>
  operation(`drop ${run}`, async (model, { log }) => {
    const known = model.runs.get(run);
    const result = await attempt(() => log.drop(run));
    if (!known || known.dropped) return expect(result).toBeUndefined();
    if (endOf(known.entries) === undefined) return expect(result).toBeInstanceOf(Error);
    expect(result).toBeUndefined();
    forget(model, run);
    for (const file of known.files) expect(await log.get(run, file)).toBeUndefined();
  });

export const retain = (maxRuns: number | undefined, maxAgeMs: number | undefined) =>
  operation(`retain ${maxRuns} runs, ${maxAgeMs} ms`, async (model, { log }) => {
    const now = 10_000;
    const runs = finished(model);
    const old = maxAgeMs === undefined ? [] : runs.filter(({ entries }) => endOf(entries)! < now - maxAgeMs);
    const leaving = runs.slice(0, Math.max(old.length, maxRuns === undefined ? 0 : runs.length - maxRuns));
    expect(await log.retain({ maxRuns, maxAgeMs }, now)).toBe(leaving.length);
    for (const { run } of leaving) forget(model, run);
  });

export const reopen = () =>
  operation("reopen", async (model, real) => {
    await real.reopen();
    // A log of one process knows which owners are alive only as long as that process lives.
    if (!real.variant.shared) model.leases.clear();
  });
