import { describe, expect, test } from "vitest";
import type { Event } from "../src/events.ts";
import { memory } from "../src/logs/memory.ts";
import { createTurn } from "../src/runner/turn.ts";
import { createWriter } from "../src/runner/writer.ts";
import type { Source } from "../src/source.ts";
import { play, request, setUp, started, untilEnd, untilEvent } from "./running.ts";

const full = () => Promise.reject(new Error("the disk is full"));
const never = new Promise<never>(() => {});

describe("a log that fails", () => {
  test("before run-start is stored refuses the start", async () => {
    const { runner } = setUp({ log: { ...memory(), append: full } });
    const start = runner.start(request, {
      name: "test",
      source: async function* () {
        yield { type: "step-start", step: "s" };
      },
    });
    await expect(start).rejects.toThrow("the disk is full");
    expect(runner.active).toBe(0);
  });

  test("to keep the request leaves no source behind", async () => {
    const { runner } = setUp({ log: { ...memory(), put: full } });
    const left = Promise.withResolvers<boolean>();
    const source: Source = async function* (_, { signal }) {
      try {
        yield { type: "step-start", step: "s" };
      } finally {
        left.resolve(signal.aborted);
      }
    };
    const long = { messages: [...request.messages, ...request.messages] };
    await expect(runner.start(long, { name: "test", source })).rejects.toThrow("the disk is full");
    expect(await left.promise).toBe(true);
  });
});
describe("closing", () => {
  test("a run that has said nothing yet is interrupted like any other", async () => {
    const { runner, log } = setUp({ graceMs: 1 });
    const begun = Promise.withResolvers<void>();
    const source: Source = async function* () {
      begun.resolve();
      await never;
    };
    const start = runner.start({ ...request, run: "r" }, { name: "test", source });
    await begun.promise;
    await runner.close();
    expect(await start).toEqual({ run: "r", started: true });
    expect(await untilEnd(log, "r")).toMatchObject([
      { type: "run-start" },
      { type: "run-end", outcome: "interrupted", error: { code: "interrupted" } },
    ]);
  });

  test("a start that was still being decided starts nothing", async () => {
    const known = Promise.withResolvers<undefined>();
    const { runner } = setUp({ log: { ...memory(), info: () => known.promise } });
    const source: Source = async function* () {
      yield { type: "step-start", step: "s" };
      await never;
    };
    const start = runner.start({ ...request, run: "r" }, { name: "test", source });
    const closed = runner.close();
    known.resolve(undefined);
    await expect(start).rejects.toMatchObject({ code: "stopping", status: 503 });
    await closed;
    expect(runner.active).toBe(0);
  });
});
