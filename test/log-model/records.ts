import { expect } from "vitest";
import { type Model, operation } from "./model.ts";

const find = ({ records, time }: Model, id: string) => {
  const found = records.get(id);
  return found && found.until > time ? found : undefined;
};

export const putRecord = (id: string, value: number, lives: number, ifAbsent: boolean) =>
  operation(`put record ${id} for ${lives}${ifAbsent ? ", if absent" : ""}`, async (model, { log, variant }) => {
    const ttlMs = lives > 0 ? lives * variant.leaseMs : undefined;
    const isPut = await log.records.put("key", id, value, { ttlMs, ifAbsent });
    expect(isPut).toBe(!(ifAbsent && find(model, id)));
    if (isPut) model.records.set(id, { value, until: lives > 0 ? model.time + lives : Infinity });
  });

export const addRecord = (id: string, amount: number, lives: number) =>
  operation(`add ${amount} to record ${id}`, async (model, { log, variant }) => {
    const { value = 0, until = lives > 0 ? model.time + lives : Infinity } = find(model, id) ?? {};
    const sum = (value as number) + amount;
    const ttlMs = lives > 0 ? lives * variant.leaseMs : undefined;
    expect(await log.records.add("key", id, amount, { ttlMs })).toBe(sum);
    model.records.set(id, { value: sum, until });
  });

export const deleteRecord = (id: string) =>
  operation(`delete record ${id}`, async (model, { log }) => {
    expect(await log.records.delete("key", id)).toBe(find(model, id) !== undefined);
    model.records.delete(id);
  });

export const listRecords = (prefix: string, limit: number, before: string | undefined) =>
  operation(`records that begin with "${prefix}" before ${before}`, async (model, { log }) => {
    const ids = [...model.records.keys()].filter((id) => find(model, id)).sort();
    for (const id of ids) expect(await log.records.get("key", id)).toBe(find(model, id)!.value);
    const expected = ids.filter((id) => id.startsWith(prefix) && (before === undefined || id < before)).reverse();
    const listed = await log.records.list("key", { prefix, limit, before });
    expect(listed).toEqual(expected.slice(0, limit).map((id) => ({ id, value: find(model, id)!.value })));
  });
