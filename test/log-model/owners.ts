import { expect } from "vitest";
import { type Control, LogFenced, LogMissing } from "../../src/log.ts";
import { textEntries } from "../contracts/run-entries.ts";
import { attempt, isOpen, type Model, type ModelRun, operation, writerOf } from "./model.ts";

const isAlive = ({ leases, time }: Model, owner: string | undefined) =>
  owner !== undefined && (leases.get(owner) ?? -1) > time;
const isOrphan = (model: Model, run: ModelRun) => isOpen(run) && !isAlive(model, run.owner);

/** Leases and lifetimes are odd multiples of the variant's lease, and time advances by even ones, so nothing expires exactly on a check. */
export const heartbeat = (owner: string, leases: number) =>
  operation(`heartbeat of ${owner} for ${leases} leases`, async (model, { log, variant }) => {
    expect(await log.heartbeat(owner, leases * variant.leaseMs)).toBe(isAlive(model, owner));
    model.leases.set(owner, model.time + leases);
  });

export const pass = () =>
  operation("two leases pass", async (model, { variant }) => {
    await variant.pass(2 * variant.leaseMs);
    model.time += 2;
  });

export const takeOver = (run: string, owner: string) =>
  operation(`take over ${run} by ${owner}`, async (model, { log }) => {
    const known = model.runs.get(run);
    const taken = await log.takeOver(run, owner);
    if (!known || !isOpen(known) || (!isOrphan(model, known) && known.owner !== owner))
      return expect(taken).toBeUndefined();
    Object.assign(known, { owner, epoch: known.epoch + 1 });
    expect(taken).toEqual({ owner, epoch: known.epoch, seq: known.entries.length });
  });

export const release = (run: string, isOld: boolean) =>
  operation(`release ${run}${isOld ? " with an old epoch" : ""}`, async (model, { log }) => {
    const known = model.runs.get(run);
    const { owner = "nobody", epoch = 1 } = known ?? {};
    await log.release(run, { owner, epoch: isOld ? epoch - 1 : epoch });
    if (!known || isOld || !isOpen(known) || known.owner === undefined) return;
    Object.assign(known, { owner: undefined, epoch: epoch + 1 });
  });

/** Writers that were replaced, that never owned the run, or that name no owner. */
export const fenced = (run: string, off: number, owner: string | undefined) =>
  operation(`a fenced append to ${run} by ${owner} with an epoch ${off} off`, async (model, { log }) => {
    const known = model.runs.get(run);
    if (!known || known.dropped) return;
    const as = owner === undefined ? undefined : { owner, epoch: known.epoch + off };
    const now = writerOf(known);
    if (known.owner === as?.owner && now?.epoch === as?.epoch) return;
    const result = await attempt(() => log.append(run, textEntries(known.entries.length + 1, 2), as));
    expect(result).toBeInstanceOf(LogFenced);
    expect(result).toMatchObject({ owner: known.owner, epoch: known.epoch });
  });

export const orphans = () =>
  operation("orphans", async (model, { log }) => {
    const expected = [...model.runs.values()].filter((run) => isOrphan(model, run)).map(({ run }) => run);
    expect((await log.orphans(100)).map(({ run }) => run).sort()).toEqual(expected.sort());
    expect(await log.orphans(2)).toHaveLength(Math.min(2, expected.length));
  });

export const send = (run: string, ids: readonly string[]) =>
  operation(`send ${ids} to ${run}`, async (model, { log }) => {
    const known = model.runs.get(run);
    for (const id of ids) {
      const control: Control = { id, kind: "cancel", reason: `${model.time}` };
      const result = await attempt(() => log.send(run, control));
      if (!known || known.dropped) expect(result).toBeInstanceOf(LogMissing);
      else expect(result).toBe(isOpen(known) ? "queued" : "ended");
      if (known && isOpen(known) && !known.controls.some((sent) => sent.id === id)) known.controls.push(control);
    }
    const expected = (known?.controls ?? []).map((control, index) => ({ number: index + 1, control }));
    expect(await log.controls(run, 0, 100)).toEqual(expected);
    expect(await log.controls(run, 1, 1)).toEqual(expected.slice(1, 2));
  });
