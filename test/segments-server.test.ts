import { describe, expect, test } from "vitest";
import type { Frame } from "../src/dialect.ts";
import { native } from "../src/dialects/native.ts";
import type { Answer, Event } from "../src/events.ts";
import type { Source } from "../src/source.ts";
import { segmented } from "./segmented-dialect.ts";
import { ended, framesOf, post, refusal, serve, start } from "./serving.ts";

const YES: Answer = { allow: true };

/** Asks about each group of calls, all of a group together, and executes the allowed ones. Ids are the run's own. */
const asking = (...groups: readonly (readonly string[])[]): Source =>
  async function* (_, { run, answerTo }) {
    for (const [index, names] of groups.entries()) {
      const step = `step-${index}`;
      yield { type: "step-start", step };
      for (const name of names) {
        yield { type: "tool-start", call: `${run}-${name}`, name };
        yield { type: "tool-input-end", call: `${run}-${name}`, input: {} };
      }
      yield { type: "step-end", step, finish: "tools" };
      for (const name of names)
        yield { type: "ask-start", ask: `${run}-ask-${name}`, kind: "approval", call: `${run}-${name}` };
      const answers = await Promise.all(names.map((name) => answerTo(`${run}-ask-${name}`)));
      for (const [at, name] of names.entries()) {
        const call = `${run}-${name}`;
        if (answers[at]?.answer?.allow) {
          yield { type: "tool-execute", call };
          yield { type: "tool-end", call, outcome: "ok" };
        } else yield { type: "tool-end", call, outcome: "denied" };
      }
    }
  };

const serving = (source: Source) => serve(source, { dialects: [native, segmented] });
const typesOf = (frames: readonly Frame[]) => frames.map(({ event }) => event);
const lastSeq = (frames: readonly Frame[]) => Number(frames.findLast(({ id }) => id !== undefined)?.id);
const say = (url: string, body: object) => post(`${url}/threads/t`, body);
const answers = (...asks: readonly string[]) => ({ answers: asks.map((ask) => ({ ask, answer: YES })) });

describe("a dialect with segments", () => {
  test("ends its stream when users are asked, and continues with the answers", async () => {
    const { url } = await serving(asking(["a", "b"], ["c"]));
    const first = await framesOf(await say(url, { message: "go", run: "r" }));
    expect(typesOf(first).slice(-3)).toEqual(["ask-start", "ask-start", "segment-end"]);
    const second = await framesOf(await say(url, answers("r-ask-a", "r-ask-b")));
    expect(typesOf(second).slice(0, 3)).toEqual(["ask-end", "ask-end", "tool-execute"]);
    expect(typesOf(second).slice(-2)).toEqual(["ask-start", "segment-end"]);
    const third = await framesOf(await say(url, answers("r-ask-c")));
    expect(typesOf(third)).toEqual(["ask-end", "tool-execute", "tool-end", "run-end"]);
    // Nothing is missing between two segments, and nothing appears twice.
    const whole = [...first, ...second, ...third].filter(({ event }) => event !== "segment-end");
    expect(whole).toEqual(await ended(url, "r"));
  });

  test("ends for all followers, live or late, at the same position", async () => {
    const { url } = await serving(asking(["a"], ["b"]));
    const live = say(url, { message: "go", run: "r" });
    const frames = await framesOf(await live);
    expect(await framesOf(await fetch(`${url}/threads/t/latest`))).toEqual(frames);
    expect(await framesOf(await fetch(`${url}/runs/r/events?dialect=segmented`))).toEqual(frames);
    // A viewer that has seen a segment waits for the next.
    const last = lastSeq(frames);
    const waiting = [1, 2, 3].map(async () => await framesOf(await fetch(`${url}/threads/t/latest?after=${last}`)));
    const next = await framesOf(await say(url, answers("r-ask-a")));
    for (const same of waiting) expect(await same).toEqual(next);
    expect(await framesOf(await fetch(`${url}/threads/t/latest?segment`))).toEqual(next);
  });

  test("streams the rest if another user answered first, and keeps that answer", async () => {
    const { url } = await serving(asking(["a"], ["b"]));
    await framesOf(await say(url, { message: "go", run: "r" }));
    expect((await post(`${url}/runs/r/asks/r-ask-a`, { allow: false })).status).toBe(200);
    await framesOf(await fetch(`${url}/threads/t/latest?segment`));
    const next = await framesOf(await say(url, answers("r-ask-a")));
    const events = next.flatMap((frame) => native.decode()(frame));
    expect(events[0]).toMatchObject({ type: "ask-end", answer: { allow: false } } satisfies Partial<Event>);
    expect(typesOf(next).at(-1)).toBe("segment-end");
    const rest = await framesOf(await say(url, answers("r-ask-b")));
    expect(typesOf(rest).at(-1)).toBe("run-end");
    // After its end, the same again.
    expect(await framesOf(await say(url, answers("r-ask-b")))).toEqual(rest);
  });

  test("sends a new viewer the run from its start to the current segment", async () => {
    const { url } = await serving(asking(["a"], ["b"]));
    const again = async () => await framesOf(await fetch(`${url}/threads/t/latest?run`));
    const first = await framesOf(await say(url, { message: "go", run: "r" }));
    expect(await again()).toEqual(first);
    const second = await framesOf(await say(url, answers("r-ask-a")));
    expect(await again()).toEqual([...first, ...second]);
    // A viewer that joins while the others wait at the end of a segment stays with them for the next.
    const live = framesOf(await fetch(`${url}/threads/t/latest?after=${lastSeq(second)}`));
    expect(await again()).toEqual([...first, ...second]);
    const third = await framesOf(await say(url, answers("r-ask-b")));
    expect(await live).toEqual(third);
    expect(await again()).toEqual([...first, ...second, ...third]);
  });

  test("responds without a body if there is nothing to follow and that is not an error", async () => {
    const { url } = await serving(asking(["a"]));
    expect((await fetch(`${url}/threads/t/latest?open`)).status).toBe(204);
    await framesOf(await say(url, { message: "go", run: "r" }));
    expect((await fetch(`${url}/threads/t/latest?open`)).headers.get("runcast-run")).toBe("r");
    await framesOf(await say(url, answers("r-ask-a")));
    const nothing = await fetch(`${url}/threads/t/latest?open`);
    expect([nothing.status, await nothing.text()]).toEqual([204, ""]);
  });

  test("refuses a new message, and answers that leave asks open, with a hint", async () => {
    const { url } = await serving(asking(["a", "b"]));
    await framesOf(await say(url, { message: "go", run: "r" }));
    const refused = await refusal(await say(url, { message: "and now?" }));
    expect(refused).toMatchObject({ status: 409, code: "asks-open" });
    expect(refused.hint).toMatch(/answer.*cancel/);
    expect(await refusal(await say(url, answers("r-ask-a")))).toMatchObject({ status: 409, code: "asks-open" });
    expect(await refusal(await say(url, answers("r-ask-a", "nobody")))).toMatchObject({
      status: 404,
      code: "unknown-ask",
    });
    expect(await refusal(await post(`${url}/threads/other`, answers("r-ask-a")))).toMatchObject({ status: 404 });
    // None of these was an answer.
    const { state } = (await (await fetch(`${url}/runs/r`)).json()) as { state: { outcome?: string } };
    expect(state.outcome).toBeUndefined();
    expect((await post(`${url}/threads/t/cancel`, {})).status).toBe(200);
    expect(typesOf(await framesOf(await say(url, { message: "and now?", run: "r2" }))).at(-1)).toBe("segment-end");
  });

  test("accepts a new message in another thread and in other dialects, and posting a run again follows it", async () => {
    const { url } = await serving(asking(["a"]));
    const frames = await framesOf(await say(url, { message: "go", run: "r" }));
    expect(await framesOf(await say(url, { message: "go", run: "r" }))).toEqual(frames);
    expect((await framesOf(await post(`${url}/threads/u`, { message: "go" }))).length).toBe(frames.length);
    expect(await start(url, { thread: "t" })).toBeTruthy();
  });

  test("answers, cancels and follows the latest run of a thread", async () => {
    const { url } = await serving(asking(["a"]));
    await framesOf(await say(url, { message: "go", run: "r1" }));
    expect((await post(`${url}/threads/t/asks/r1-ask-a`, YES)).status).toBe(200);
    await ended(url, "r1");
    await framesOf(await say(url, { message: "go", run: "r2" }));
    const latest = await fetch(`${url}/threads/t/latest`);
    expect(latest.headers.get("runcast-run")).toBe("r2");
    expect((await post(`${url}/threads/t/cancel`, {})).status).toBe(200);
    expect((await ended(url, "r2")).at(-1)?.data).toContain('"cancelled"');
    for (const missing of [
      await fetch(`${url}/threads/nope/latest`),
      await post(`${url}/threads/nope/cancel`, {}),
      await post(`${url}/threads/nope/asks/x`, YES),
    ])
      expect(await refusal(missing)).toMatchObject({ status: 404, code: "unknown-run" });
  });

  test("two agents share a thread, and each command finds the run of the agent that it names", async () => {
    const renaming: Source = async function* (request, context) {
      // Like a source that passes on the display name of a remote agent.
      yield { type: "run-start", protocol: 2, run: context.run, name: "one" };
      yield* asking(["b"])(request, context);
    };
    const agents = { one: asking(["a"]), two: renaming };
    const { url } = await serve(agents.one, { agents, dialects: [native, segmented] });
    const of = (agent: string, path = "") => `${url}/threads/t${path}?agent=${agent}`;
    const latest = async (where: string) => (await fetch(where)).headers.get("runcast-run");
    await framesOf(await post(of("one"), { message: "go", run: "r1" }));
    // The other agent asks nothing in this thread yet.
    await framesOf(await post(of("two"), { message: "go", run: "r2" }));
    expect(await latest(of("one", "/latest"))).toBe("r1");
    expect(await latest(of("two", "/latest"))).toBe("r2");
    expect(await latest(`${url}/threads/t/latest`)).toBe("r2");
    expect(await refusal(await post(of("one"), { message: "and now?" }))).toMatchObject({ code: "asks-open" });
    expect(await refusal(await post(of("two"), answers("r1-ask-a")))).toMatchObject({ code: "unknown-ask" });
    expect(await refusal(await post(of("one", "/asks/r2-ask-b"), YES))).toMatchObject({ code: "unknown-ask" });
    expect(typesOf(await framesOf(await post(of("one"), answers("r1-ask-a")))).at(-1)).toBe("run-end");
    expect((await post(of("two", "/cancel"), {})).status).toBe(200);
    expect((await ended(url, "r1")).at(-1)?.data).toContain('"done"');
    expect((await ended(url, "r2")).at(-1)?.data).toContain('"cancelled"');
    expect(await refusal(await fetch(of("three", "/latest")))).toMatchObject({ code: "unknown-run" });
    const { runs } = (await (await fetch(`${url}/runs`)).json()) as { runs: unknown[] };
    expect(runs).toMatchObject([
      { run: "r2", name: "one", agent: "two" },
      { run: "r1", name: "one", agent: "one" },
    ]);
  });

  test("a single response instead of a stream is that of one segment", async () => {
    const { url } = await serving(asking(["a"]));
    const first = (await (await say(url, { message: "go", run: "r", whole: true })).json()) as string[];
    expect(first.at(-1)).toBe("ask-start");
    const second = (await (await say(url, { ...answers("r-ask-a"), whole: true })).json()) as string[];
    expect(second.at(-1)).toBe("run-end");
  });

  test("the end of a stream with its segment is not a disconnect", async () => {
    const cancelling = { ...segmented, disconnect: "cancel" as const };
    const { url } = await serve(asking(["a"]), { dialects: [native, cancelling] });
    await framesOf(await say(url, { message: "go", run: "r" }));
    expect(typesOf(await framesOf(await say(url, answers("r-ask-a")))).at(-1)).toBe("run-end");
    expect((await ended(url, "r")).at(-1)?.data).toContain('"done"');
  });
});
