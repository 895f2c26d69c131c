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

  test("revokes every key that has it", async () => {
    const { records } = memory();
    for (const key of ["rck_one", "rck_other"]) await records.put("key", keyHash(key), { name: "bob", created: 1 });
    const keys = keysOf(records);
    expect(await keys.revoke("bob")).toBe(true);
    expect(await keys.list()).toEqual([]);
  });
});
