import { describe, expect, test } from "vitest";
import { memory } from "../src/logs/memory.ts";
import type { Records } from "../src/records.ts";
import { createKeys, keyHash } from "../src/server/keys.ts";

const keysOf = (records: Records) => createKeys({ records, configured: [] });

describe("a key's name", () => {
  test("is taken by one of two processes that add it at the same time, and is free after it is revoked", async () => {
    const { records } = memory();
    const processes = [keysOf(records), keysOf(records)];
    const added = await Promise.allSettled(processes.map((keys) => keys.add({ name: "bob" })));
    expect(added.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    const [keys] = processes;
    expect(await keys!.list()).toHaveLength(1);
    expect(await keys!.revoke("bob")).toBe(true);
    expect(await keys!.revoke("bob")).toBe(false);
    await expect(keysOf(records).add({ name: "bob" })).resolves.toMatch(/^rck_/);
  });

  test("stays taken while a key with it is created, even if it is revoked before", async () => {
    const { records } = memory();
    const others: Promise<string>[] = [];
    const slow = keysOf({
      ...records,
      put: async (kind, ...rest) => {
        if (kind === "key") {
          expect(await keysOf(records).revoke("bob")).toBe(false);
          others.push(keysOf(records).add({ name: "bob" }));
          await Promise.allSettled(others);
        }
        return records.put(kind, ...rest);
      },
    });
    await slow.add({ name: "bob" });
    await expect(others[0]).rejects.toThrow("a key named bob already exists");
    expect(await slow.list()).toHaveLength(1);
  });

  test("revokes every key that has it", async () => {
    const { records } = memory();
    for (const key of ["rck_one", "rck_other"]) await records.put("key", keyHash(key), { name: "bob", created: 1 });
    const keys = keysOf(records);
    expect(await keys.revoke("bob")).toBe(true);
    expect(await keys.list()).toEqual([]);
  });
});

test("a revoked key is refused at once, even if requests with it arrive while it is revoked", async () => {
  const { records } = memory();
  const key = await keysOf(records).add({ name: "bob" });
  const meanwhile: Promise<unknown>[] = [];
  let revoked: Promise<boolean> | undefined;
  const keys = keysOf({
    ...records,
    // Its answer arrives after the key is revoked.
    get: async (kind, id) => {
      const found = await records.get(kind, id);
      await revoked;
      return found;
    },
    delete: async (kind, id) => {
      if (kind === "key") meanwhile.push(keys.find(key));
      return records.delete(kind, id);
    },
  });
  revoked = keys.revoke("bob");
  await revoked;
  await Promise.all(meanwhile);
  expect(meanwhile).toHaveLength(1);
  expect(await keys.find(key)).toBeUndefined();
});

test("a revoked key is refused at once, even if a request with it was answered while it was deleted", async () => {
  const { records } = memory();
  const key = await keysOf(records).add({ name: "bob" });
  const keys = keysOf({
    ...records,
    delete: async (kind, id) => {
      if (kind === "key") expect(await keys.find(key)).toBeDefined();
      return records.delete(kind, id);
    },
  });
  await keys.revoke("bob");
  expect(await keys.find(key)).toBeUndefined();
});
