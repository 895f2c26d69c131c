import { describe, expect, test } from "vitest";
import type { Dialect } from "../src/dialect.ts";
import type { Answer, Event } from "../src/events.ts";
import { native } from "../src/dialects/native.ts";
import type { Source } from "../src/source.ts";
import { chain, stateOf } from "./server-chain.ts";
import { entriesOf } from "./running.ts";
import { segmented } from "./segmented-dialect.ts";
import { post, start, until } from "./serving.ts";

/** Its clients can only start runs, and answer with the next request. */
const oneWay: Dialect = {
  ...segmented,
  routes: segmented.routes.filter(({ does }) => does === "start"),
  write: (command) => {
    if (command.do !== "start") throw new Error(`it has no ${command.do}`);
    const { answers, request } = command;
    const part = request.messages[0]?.content[0];
    return {
      method: "POST",
      path: "/threads/upper",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ message: part?.type === "text" ? part.text : "", answers }),
    };
  },
};

/** Asks about two calls together, then for a value. */
const asking: Source = async function* (_, { answerTo }) {
  yield { type: "step-start", step: "s" };
  for (const call of ["a", "b"]) {
    yield { type: "tool-start", call, name: call };
    yield { type: "tool-input-end", call, input: {} };
  }
  yield { type: "step-end", step: "s", finish: "tools" };
  for (const call of ["a", "b"]) yield { type: "ask-start", ask: `ask-${call}`, kind: "approval", call };
  for (const call of ["a", "b"]) {
    const { answer } = await answerTo(`ask-${call}`);
    if (answer?.allow) yield { type: "tool-execute", call, ...(answer.input && { input: answer.input }) };
    yield { type: "tool-end", call, outcome: answer?.allow ? "ok" : "denied" };
  }
  yield { type: "ask-start", ask: "name", kind: "input", title: "Your name?" };
  await answerTo("name");
};

const ANSWERS: Readonly<Record<string, Answer>> = {
  a: { allow: true, input: { edited: 1 } },
  b: { allow: false, reason: "no" },
};

describe("a server whose streams end when users are asked", () => {
  test("gets all answers together in another request, and its run is one run here", async () => {
    const { up, down, upperRun } = await chain(oneWay, asking);
    const run = await start(down.url);
    const calls = new Map<string, string>();
    let read = 0;
    await until(async () => {
      for (const { seq, event } of await down.log.read(run, read, 1000)) {
        read = seq;
        if (event.type === "tool-start") calls.set(event.call, event.name);
        if (event.type === "ask-start")
          await post(`${down.url}/runs/${run}/asks/${event.ask}`, answerTo(event, calls) ?? { value: "Ann" });
      }
      return (await down.log.info(run))?.endedAt !== undefined;
    });
    const upper = await entriesOf(up.log, await upperRun());
    const ends = upper.flatMap(({ event }) => (event.type === "ask-end" ? [event.answer] : []));
    expect(ends).toEqual([ANSWERS["a"], ANSWERS["b"], { value: "Ann" }]);
    expect(stateOf(await entriesOf(down.log, run))).toEqual(stateOf(upper));
    expect(await up.log.list({ limit: 10 })).toHaveLength(1);
  });

  test("stops waiting for answers when the run is stopped", async () => {
    const { down } = await chain(oneWay, asking);
    const run = await start(down.url);
    await until(async () => (await down.log.read(run, 0, 1000)).some(({ event }) => event.type === "ask-start"));
    expect((await post(`${down.url}/runs/${run}/cancel`, {})).status).toBe(200);
    expect((await entriesOf(down.log, run)).at(-1)?.event).toMatchObject({ type: "run-end", outcome: "cancelled" });
  });

  test("counts as cut if its stream ends elsewhere", async () => {
    const cutting: Dialect = {
      ...oneWay,
      // As if the frames after the step's end were lost.
      decode: () => {
        const decode = native.decode();
        return (frame) => (frame.event === "ask-start" ? [] : decode(frame));
      },
    };
    const { down } = await chain(cutting, asking);
    const run = await start(down.url);
    await until(async () => (await down.log.info(run))?.endedAt !== undefined);
    const end = (await entriesOf(down.log, run)).at(-1)?.event;
    expect(end).toMatchObject({ type: "run-end", outcome: "error", error: { code: "upstream-cut" } });
  });
});

const answerTo = (event: Extract<Event, { type: "ask-start" }>, calls: ReadonlyMap<string, string>) =>
  ANSWERS[calls.get(event.call ?? "") ?? ""];
