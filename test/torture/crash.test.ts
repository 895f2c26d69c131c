import { expect, test } from "vitest";
import { createCrash } from "../../src/torture/crash.ts";

const recorded = () => {
  const done: string[] = [];
  const server = {
    kill: async () => void done.push("kill"),
    start: async () => void done.push("start"),
  };
  return { done, crash: createCrash(server) };
};

test("the server is killed once, when every trial is ready, and started once", async () => {
  const { done, crash } = recorded();
  const [one, two] = [crash.join(), crash.join()];
  const first = one.kill().then(() => done.push("first"));
  await Promise.resolve();
  expect(done).toEqual([]);
  await Promise.all([first, two.kill()]);
  await Promise.all([one.start(), two.start()]);
  expect(done).toEqual(["kill", "first", "start"]);
});

test("a trial that ends early delays no other, and kills nothing itself", async () => {
  const { done, crash } = recorded();
  const [one, two, three] = [crash.join(), crash.join(), crash.join()];
  three.leave();
  const killed = one.kill();
  expect(done).toEqual([]);
  two.leave();
  await killed;
  one.leave();
  expect(done).toEqual(["kill"]);

  const other = recorded();
  other.crash.join().leave();
  expect(other.done).toEqual([]);
});
