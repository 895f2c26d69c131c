import { expect, test } from "vitest";
import { Turns } from "../src/server/turns.ts";

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("of many concurrent entries, a limited number proceeds in each turn, in order of arrival", async () => {
  const turns = new Turns(2, () => {});
  const entered: number[] = [];
  const enter = async (who: number) => {
    await turns.enter();
    entered.push(who);
  };
  const all = Promise.all([1, 2, 3, 4, 5].map(enter));
  await Promise.resolve();
  expect(entered).toEqual([1, 2]);
  await turn();
  expect(entered).toEqual([1, 2, 3, 4]);
  await all;
  expect(entered).toEqual([1, 2, 3, 4, 5]);
  await turn();
  expect(turns.enter()).toBeUndefined();
});

test("a job that has had a turn waits behind those that have not, and an error stops no other job", async () => {
  const errors: unknown[] = [];
  const turns = new Turns(1, (error) => errors.push(error));
  const done: string[] = [];
  const greedy = { flush: () => (done.push("greedy"), done.length < 4 ? turns.add(greedy) : undefined) };
  turns.add(greedy);
  turns.add({
    flush: () => {
      throw new Error("broken");
    },
  });
  turns.add({ flush: () => done.push("modest") });
  await expect.poll(() => done).toEqual(["greedy", "modest", "greedy", "greedy"]);
  expect(errors).toHaveLength(1);
});

test("long jobs get one turn each, regardless of the limit", async () => {
  const turns = new Turns(Infinity, () => {});
  const order: string[] = [];
  const slow = {
    flush: () => {
      for (const end = performance.now() + 10; performance.now() < end;);
      order.push("slow");
    },
  };
  turns.add(slow);
  turns.add(slow);
  turns.add(slow);
  setImmediate(() => order.push("other"));
  await expect.poll(() => order).toHaveLength(4);
  expect(order.slice(0, 2)).toEqual(["slow", "other"]);
});
