import { once } from "node:events";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Event } from "../src/events.ts";
import { program, type ProgramRun } from "../src/sources/program.ts";
import { entriesOf, play, request, setUp, untilEnd, untilEvent } from "./running.ts";

const typesOf = (events: readonly Event[]): string[] => events.map(({ type }) => type);
const eventsOf = async (...log: Parameters<typeof entriesOf>) => (await entriesOf(...log)).map(({ event }) => event);
const of = <Type extends Event["type"]>(events: readonly Event[], type: Type) =>
  events.filter((event): event is Extract<Event, { type: Type }> => event.type === type);

describe("an agent that is a program", () => {
  test("text, a tool and text are two steps with a call between them", async () => {
    const { events } = await play(
      program(async (run) => {
        await run.text("Let me look.");
        const sky = await run.tool("forecast", { city: "Oslo" }, () => "clear");
        await run.text(`It is ${sky}.`);
      }),
    );
    expect(typesOf(events)).toEqual([
      ...[
        "run-start",
        "step-start",
        "text-start",
        "text-delta",
        "text-end",
        "tool-start",
        "tool-input-end",
        "step-end",
      ],
      ...["tool-execute", "tool-end"],
      ...["step-start", "text-start", "text-delta", "text-end", "step-end", "run-end"],
    ]);
    expect(of(events, "tool-end")[0]).toMatchObject({ outcome: "ok", content: [{ type: "text", text: "clear" }] });
    expect(of(events, "step-end").map(({ finish }) => finish)).toEqual(["tools", "stop"]);
  });

  test("calls that are made together belong to one step and run in parallel", async () => {
    const both = Promise.withResolvers<void>();
    let running = 0;
    const { events } = await play(
      program((run) =>
        Promise.all(
          ["a", "b"].map((name) =>
            run.tool(name, {}, async () => {
              if (++running === 2) both.resolve();
              await both.promise;
              return { name };
            }),
          ),
        ),
      ),
    );
    expect(of(events, "step-start")).toHaveLength(1);
    expect(of(events, "tool-end").map(({ outcome }) => outcome)).toEqual(["ok", "ok"]);
  });

  test("a tool that throws fails its call, and the program may continue", async () => {
    const { events } = await play(
      program(async (run) => {
        const result = await run
          .tool("read", {}, () => {
            throw new Error("no such file");
          })
          .catch((error: Error) => error.message);
        await run.text(`Sorry: ${result}`);
      }),
    );
    expect(of(events, "tool-end")[0]).toMatchObject({ outcome: "error", error: { message: "no such file" } });
    expect(events.at(-1)).toMatchObject({ type: "run-end", outcome: "done" });
  });

  test("work that is not awaited still ends, and its failure ends nothing else", async () => {
    const { events } = await play(
      program((run) => {
        void run.tool("slow", {}, async () => {
          await Promise.resolve();
          throw new Error("too late");
        });
        void run.text("Started.");
      }),
    );
    expect(of(events, "tool-end")[0]).toMatchObject({ outcome: "error" });
    expect(events.at(-1)).toMatchObject({ outcome: "done" });
  });

  test("text that breaks off is cut", async () => {
    const broken = async function* () {
      yield "half of";
      throw new Error("the line is dead");
    };
    const { events } = await play(program((run) => run.text(broken())));
    expect(of(events, "text-end")[0]).toMatchObject({ cut: true });
    expect(events.at(-1)).toMatchObject({ outcome: "error", error: { message: "the line is dead" } });
  });

  test("sub-agents can be programs, or a source's own events", async () => {
    const source = async function* (): AsyncGenerator<Event> {
      yield { type: "step-start", step: "s" };
      yield { type: "text-start", part: "p" };
      yield { type: "text-delta", part: "p", delta: "read" };
    };
    const { events } = await play(
      program(async (run) => {
        const found = await run.agent("finder", "find it", async (child) => {
          await child.tool("search", { for: "it" }, () => "there");
          return "found";
        });
        await run.agent("reader", "read it", source);
        await run.text(String(found));
      }),
    );
    expect(of(events, "agent-start").map(({ name, task }) => [name, task])).toEqual([
      ["finder", "find it"],
      ["reader", "read it"],
    ]);
    const [finder, reader] = of(events, "agent-start").map(({ agent }) => agent);
    expect(of(events, "tool-start")[0]).toMatchObject({ agent: finder });
    expect(of(events, "text-delta")[0]).toMatchObject({ agent: reader, delta: "read" });
    expect(of(events, "agent-end").map(({ outcome }) => outcome)).toEqual(["done", "done"]);
  });

  test("a call that needs approval waits for the user", async () => {
    const { runner, log } = setUp();
    let deletions = 0;
    const source = program((run) => run.tool("delete", {}, () => ++deletions, { approval: true }));
    const allow = async (allowed: boolean) => {
      const { run } = await runner.start(request, { name: "test", source });
      await untilEvent(log, run, ({ type }) => type === "ask-start");
      const [ask] = of(await eventsOf(log, run), "ask-start");
      expect(deletions).toBe(allowed ? 0 : 1);
      await runner.answer(run, ask!.ask, { allow: allowed });
      return await untilEnd(log, run);
    };
    expect(of(await allow(true), "tool-end")[0]).toMatchObject({ outcome: "ok" });
    expect(of(await allow(false), "tool-end")[0]).toMatchObject({ outcome: "denied" });
    expect(deletions).toBe(1);
  });

  test("a stopped call is cancelled, and its signal aborts", async () => {
    const { runner, log } = setUp();
    const source = program(async (run) => {
      await run
        .tool("wait", {}, ({ signal }) => once(signal, "abort").then(() => signal.throwIfAborted()))
        .catch(() => {});
      await run.text("Next.");
    });
    const { run } = await runner.start(request, { name: "test", source });
    await untilEvent(log, run, ({ type }) => type === "tool-execute");
    const [execute] = of(await eventsOf(log, run), "tool-execute");
    await runner.cancel(run, { call: execute!.call });
    const events = await untilEnd(log, run);
    expect(of(events, "tool-end")[0]).toMatchObject({ outcome: "cancelled" });
    expect(events.at(-1)).toMatchObject({ outcome: "done" });
  });

  test("for any concurrent work, the log is grammatical", async () => {
    const { act } = fc.letrec<{ act: Act }>((tie) => ({
      act: fc.oneof(
        { maxDepth: 3 },
        fc.record({ do: fc.constantFrom("text", "stream", "thinking", "tool", "fail") }),
        fc.record({ do: fc.constantFrom("agent", "together", "after"), acts: fc.array(tie("act"), { maxLength: 4 }) }),
      ) as fc.Arbitrary<Act>,
    }));
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 6 }), async (acts) => {
        // The runner would end the run with an error at the first event that breaks the grammar.
        const { events } = await play(program((run) => perform(run, { do: "together", acts })));
        expect(events.at(-1)).toMatchObject({ type: "run-end", outcome: "done" });
      }),
      { numRuns: 60 },
    );
  });
});

interface Act {
  readonly do: string;
  readonly acts?: readonly Act[];
}

const words = async function* () {
  for (const word of ["one ", "two ", "three"]) {
    await Promise.resolve();
    yield word;
  }
};

const perform = async (run: ProgramRun, { do: what, acts = [] }: Act): Promise<unknown> => {
  switch (what) {
    case "text":
      return await run.text("hello");
    case "thinking":
    case "stream":
      return await run[what === "thinking" ? "thinking" : "text"](words());
    case "tool":
      return await run.tool("look", {}, () => "found");
    case "fail":
      return await run.tool("look", {}, () => Promise.reject(new Error("no"))).catch(() => {});
    case "agent":
      return await run.agent("child", "work", (child) => perform(child, { do: "after", acts }));
    case "together":
      return await Promise.all(acts.map((one) => perform(run, one)));
    default:
      for (const one of acts) await perform(run, one);
      return undefined;
  }
};
