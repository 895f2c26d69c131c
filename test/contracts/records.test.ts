import { expect, test } from "vitest";
import type { Json } from "../../src/events.ts";
import { eachLog } from "./each-log.ts";

eachLog("records", (opened) => {
  const { pass, leaseMs: life } = opened.variant;
  const one = () => opened.one.records;
  const other = () => opened.other.records;
  const idsOf = async (query: { prefix?: string; limit?: number; before?: string } = {}, kind = "key") =>
    (await other().list(kind, { limit: 100, ...query })).map(({ id }) => id);

  test("return what was put, until it is replaced or deleted", async () => {
    for (const value of [null, 0, "é🙂\0", [1, { a: [] }], { deep: { er: true } }, "x".repeat(60_000)] as Json[]) {
      expect(await one().put("key", "a", value)).toBe(true);
      expect(await other().get("key", "a")).toEqual(value);
    }
    expect(await other().get("key", "b")).toBeUndefined();
    expect(await other().get("share", "a")).toBeUndefined();
    expect(await other().delete("key", "a")).toBe(true);
    expect(await one().delete("key", "a")).toBe(false);
    expect(await one().get("key", "a")).toBeUndefined();
  });

  test("do not share memory with the caller", async () => {
    const value = { list: [1] };
    await one().put("key", "a", value);
    value.list.push(2);
    ((await one().get("key", "a")) as typeof value).list.push(3);
    expect(await one().get("key", "a")).toEqual({ list: [1] });
  });

  test("are put by only one of many callers with ifAbsent", async () => {
    const puts = Array.from({ length: 20 }, (_, index) =>
      (index % 2 ? one() : other()).put("key", "a", index, { ifAbsent: true }),
    );
    const won = (await Promise.all(puts)).flatMap((isMine, index) => (isMine ? [index] : []));
    expect(won).toHaveLength(1);
    expect(await one().get("key", "a")).toBe(won[0]);
  });

  test("are gone for every call when they expire", async () => {
    await one().put("key", "a", 1, { ttlMs: life });
    await one().put("key", "b", 2, { ttlMs: 3 * life });
    await one().put("key", "c", 3);
    await one().put("key", "d", 4, { ttlMs: life });
    await one().put("key", "d", 5);
    await one().add("key", "e", 6, { ttlMs: life });
    expect(await idsOf()).toEqual(["e", "d", "c", "b", "a"]);
    await pass(life);
    expect(await idsOf()).toEqual(["d", "c", "b"]);
    expect(await idsOf({ limit: 2 })).toEqual(["d", "c"]);
    expect(await other().get("key", "a")).toBeUndefined();
    expect(await other().delete("key", "a")).toBe(false);
    expect(await other().add("key", "e", 1)).toBe(1);
    expect(await other().put("key", "a", 9, { ifAbsent: true })).toBe(true);
    await pass(3 * life);
    expect(await idsOf()).toEqual(["e", "d", "c", "a"]);
  });

  test("are listed by id in descending order, by prefix and in pages", async () => {
    const ids = ["a", "a/1", "a/10", "a/2", "a~", "b", "b/1", "B", "~", "!", "a/1%_"];
    for (const id of ids) await one().put("key", id, { id });
    await one().put("share", "z", 1);
    const sorted = [...ids].sort().reverse();
    expect(await idsOf()).toEqual(sorted);
    expect(await one().list("key", { limit: 1 })).toEqual([{ id: "~", value: { id: "~" } }]);
    expect(await idsOf({ prefix: "a/" })).toEqual(["a/2", "a/10", "a/1%_", "a/1"]);
    expect(await idsOf({ prefix: "a/1%" })).toEqual(["a/1%_"]);
    expect(await idsOf({ prefix: "a/", limit: 2, before: "a/10" })).toEqual(["a/1%_", "a/1"]);
    expect(await idsOf({ prefix: "a/", before: "b" })).toEqual(["a/2", "a/10", "a/1%_", "a/1"]);
    expect(await idsOf({ before: "a" })).toEqual(["B", "!"]);
    expect(await idsOf({ prefix: "c" })).toEqual([]);
    expect(await idsOf({}, "none")).toEqual([]);
    for (const paged: string[] = []; ;) {
      const page = await idsOf({ limit: 3, ...(paged.length && { before: paged.at(-1)! }) });
      if (page.length > 0) paged.push(...page);
      else return expect(paged).toEqual(sorted);
    }
  });

  test("are counters: every addition is in the sum, and the first sets the lifetime", async () => {
    const sums = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        (index % 2 ? one() : other()).add("quota", "day", 2, { ttlMs: 2 * life }),
      ),
    );
    expect(sums.sort((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, index) => 2 * (index + 1)));
    expect(await one().add("quota", "day", -40, { ttlMs: 100 * life })).toBe(60);
    expect(await one().get("quota", "day")).toBe(60);
    await pass(2 * life);
    expect(await one().get("quota", "day")).toBeUndefined();
    expect(await one().add("quota", "day", 5)).toBe(5);
  });

  test("reject invalid counters, kinds, ids and sizes", async () => {
    await one().put("key", "text", "7");
    await one().put("key", "half", 0.5);
    for (const id of ["text", "half"]) await expect(one().add("key", id, 1)).rejects.toThrow(/not a counter/);
    for (const amount of [0.5, NaN, Infinity, 2 ** 60])
      await expect(one().add("key", "n", amount)).rejects.toThrow(/whole number/);
    expect(await one().get("key", "n")).toBeUndefined();
    await one().add("key", "n", Number.MAX_SAFE_INTEGER);
    await expect(one().add("key", "n", 1)).rejects.toThrow(/whole number/);
    for (const kind of ["", "Key", "a b", "x".repeat(33), "../a"])
      await expect(one().get(kind, "a")).rejects.toThrow(/kind of record/);
    for (const id of ["", "a b", "é", "a\n", "x".repeat(257)])
      await expect(one().put("key", id, 1)).rejects.toThrow(/record's id/);
    await expect(one().put("key", "a", "é".repeat(40_000))).rejects.toThrow(/at most 65536 bytes/);
    await expect(one().put("key", "a", undefined as unknown as Json)).rejects.toThrow(/must be JSON/);
  });

  test("are correct among many expired ones", async () => {
    const addAll = async (name: string, options?: { ttlMs: number }) => {
      for (let from = 0; from < 2500; from += 100)
        await Promise.all(
          Array.from({ length: 100 }, (_, index) => one().add("quota", `${name}-${from + index}`, 1, options)),
        );
    };
    await addAll("old", { ttlMs: life });
    await pass(life);
    await addAll("new");
    expect(await idsOf({ prefix: "old" }, "quota")).toEqual([]);
    expect(await idsOf({ limit: 5000, prefix: "new" }, "quota")).toHaveLength(2500);
  });

  if (!opened.variant.durable) return;

  test("outlive the process", async () => {
    await one().put("key", "a", { b: 1 });
    await one().add("quota", "a", 3, { ttlMs: life });
    await opened.reopen();
    expect(await one().get("key", "a")).toEqual({ b: 1 });
    expect(await one().add("quota", "a", 4)).toBe(7);
    await pass(life);
    await opened.reopen();
    expect(await one().get("quota", "a")).toBeUndefined();
  });
});
