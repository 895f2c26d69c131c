import { expect, test, vi } from "vitest";
import type { Control } from "../src/log.ts";
import { memory } from "../src/logs/memory.ts";
import { createControls } from "../src/runner/controls.ts";
import { startEntry } from "./contracts/run-entries.ts";

/** A run that writes down what it is asked to do. */
const recorder = () => {
  const asked: unknown[] = [];
  const cancel = async ({ call }: { readonly call?: string }) => {
    asked.push(call);
    return "cancelled" as const;
  };
  return { asked, run: { cancel, answer: async () => "accepted" as const } };
};

test("a run that is lost and taken over again while its queue is read gets the whole queue", async () => {
  const log = memory();
  await log.append("a", [startEntry("a")]);
  const send = (call: string) => log.send("a", { id: call, kind: "cancel", call } satisfies Control);
  let blocked: Promise<void> | undefined;
  const read: typeof log.controls = async (...query) => {
    const found = await log.controls(...query);
    await blocked;
    return found;
  };
  const [first, second] = [recorder(), recorder()];
  const active = new Map([["a", first.run]]);
  const onProblem = vi.fn();
  const controls = createControls({ ...log, controls: read }, active, () => true, onProblem);
  await send("one");
  await vi.waitFor(() => expect(first.asked).toEqual(["one"]), 20_000);

  const { promise, resolve } = Promise.withResolvers<void>();
  blocked = promise;
  await send("two");
  active.delete("a");
  controls.forget("a");
  active.set("a", second.run);
  controls.read("a");
  resolve();
  await vi.waitFor(() => expect(second.asked).toEqual(["one", "two"]), 20_000);
  expect(first.asked).toEqual(["one"]);
  expect(onProblem).not.toHaveBeenCalled();
  controls.close();
  await log.close();
});
