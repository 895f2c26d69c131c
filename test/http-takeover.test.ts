import { describe, expect, test } from "vitest";
import { native } from "../src/dialects/native.ts";
import { openWebui } from "../src/dialects/open-webui.ts";
import type { Entry, Event, EventOf } from "../src/events.ts";
import type { Log } from "../src/log.ts";
import { memory } from "../src/logs/memory.ts";
import { demoAgent } from "../src/models/demo.ts";
import type { Runner } from "../src/runner.ts";
import type { Source } from "../src/source.ts";
import { http, type HttpOptions } from "../src/sources/http.ts";
import { verify } from "../src/verify.ts";
import { chain, type Chain, stateOf, stories } from "./server-chain.ts";
import { entriesOf, request, setUp, started, untilEnd, untilEvent } from "./running.ts";
import { post, serve, start } from "./serving.ts";

const LONG_MS = 60_000;
const RUN = "below";

/** A process that follows the server at `url`, on this log. */
const follower = (url: string, log: Log, options: Partial<HttpOptions> = {}): Runner => {
  const agent = { name: "test", source: http({ dialect: native, url, ...options }) };
  return setUp({ log, findAgent: () => agent, graceMs: 2000, firstEventMs: LONG_MS }).runner;
};

const agentOf = (url: string) => ({ name: "test", source: http({ dialect: native, url }) });

/** A log of a run whose process died after these entries. */
const cutLog = async (run: string, entries: readonly Entry[]): Promise<Log> => {
  const log = memory();
  await log.append(run, entries);
  return log;
};

/** The entries of the lower run after a takeover from these entries. */
const takenOver = async (url: string, run: string, entries: readonly Entry[], options: Partial<HttpOptions> = {}) => {
  const log = await cutLog(run, entries);
  expect(await follower(url, log, options).recover()).toBe(1);
  await untilEnd(log, run);
  return await entriesOf(log, run);
};

const isPiece = (entry: Entry | undefined) => entry !== undefined && "delta" in entry.event;

/** The lower run after a user has watched it to its end, and the upper run. */
const playedTo = async ({ up, down, upperRun }: Chain, message: string) => {
  const run = await start(down.url, { message });
  let read = 0;
  while ((await down.log.info(run))?.endedAt === undefined) {
    for (const { seq, event } of await down.log.read(run, read, 1000)) {
      read = seq;
      if (event.type === "ask-start") await post(`${down.url}/runs/${run}/asks/${event.ask}`, answerTo(event));
    }
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  return { run, entries: await entriesOf(down.log, run), upper: await entriesOf(up.log, await upperRun()) };
};

const answerTo = ({ kind, options }: EventOf<"ask-start">) =>
  kind === "approval" || kind === "confirmation"
    ? { allow: true }
    : { value: (options as { value?: unknown }[] | undefined)?.[0]?.value ?? "the tests" };

describe("a run of an upstream Runcast whose process here dies", () => {
  const played = stories.filter(({ name }) => name !== "cancel" && name !== "client-run tool");
  test.each(played)("after any entry: the next process continues exactly there: $name", async ({ message }) => {
    const chained = await chain(native, demoAgent({ speed: Infinity }));
    const { run, entries, upper } = await playedTo(chained, message);
    const expected = stateOf(upper);
    expect(stateOf(entries)).toEqual(expected);
    for (let length = 1; length < entries.length; length++) {
      if (isPiece(entries[length - 1]) && isPiece(entries[length]) && length % 7 > 0) continue;
      const result = await takenOver(chained.up.url, run, entries.slice(0, length));
      expect(verify(result), `after ${length}`).toBeUndefined();
      expect(result.slice(0, length)).toEqual(entries.slice(0, length));
      expect(stateOf(result), `after ${length}`).toEqual(expected);
    }
  });

  test("in the middle of a batch from the server: only the rest is added", async () => {
    const chained = await chain(native, async function* () {
      yield { type: "step-start", step: "s" };
      yield { type: "text-start", part: "p" };
      yield { type: "text-delta", part: "p", delta: "one two three" };
    });
    const { run, entries } = await playedTo(chained, "hi");
    const at = entries.findIndex(({ event }) => event.type === "text-delta");
    const half = { ...entries[at]!, event: { type: "text-delta", part: "p", delta: "one tw" } as const };
    const result = await takenOver(chained.up.url, run, [...entries.slice(0, at), half]);
    const deltas = result.flatMap(({ event }) => (event.type === "text-delta" ? [event.delta] : []));
    expect(deltas).toEqual(["one tw", "o three"]);
  });

  test("continues through another dialect whose runs have ids", async () => {
    const chained = await chain(openWebui, demoAgent({ speed: Infinity }));
    const { run, entries, upper } = await playedTo(chained, "Hello");
    for (const length of [2, Math.floor(entries.length / 2), entries.length - 1]) {
      const result = await takenOver(chained.up.url, run, entries.slice(0, length), { dialect: openWebui });
      expect(stateOf(result), `after ${length}`).toEqual(stateOf(upper));
    }
  });

  test("while it waits: the next process answers, and the run ends once", async () => {
    const up = await asking();
    const log = memory();
    const first = follower(up.url, log);
    const { run } = await first.start({ ...request, run: RUN }, agentOf(up.url));
    await untilEvent(log, run, isAsk);
    // Leaving cuts nothing, so it does not wait for the call to end.
    await first.close({ handOverMs: LONG_MS });
    const before = await entriesOf(log, run);
    const second = follower(up.url, log);
    expect(await second.recover()).toBe(1);
    expect(await entriesOf(log, run)).toEqual(before);
    expect(await second.answer(run, "ask", { value: "yes" })).toBe("accepted");
    const events = await untilEnd(log, run);
    expect(events.at(-1)).toMatchObject({ type: "run-end", outcome: "done" });
    expect(events.some(({ type }) => type === "run-resume")).toBe(false);
    expect(events.filter(({ type }) => type === "tool-end")).toMatchObject([{ outcome: "ok", value: "yes" }]);
    expect(stateOf(await entriesOf(log, run))).toEqual(stateOf(await up.entries()));
  });

  test("after an answer was stored and before the server got it: the next process sends it", async () => {
    const up = await asking();
    const log = memory();
    const first = follower(up.url, log);
    const { run } = await first.start({ ...request, run: RUN }, agentOf(up.url));
    await untilEvent(log, run, isAsk);
    await first.close({ handOverMs: LONG_MS });
    const entries = await entriesOf(log, run);
    const answered: Event = { type: "ask-end", ask: "ask", outcome: "answered", answer: { value: "stored" } };
    const last = { seq: entries.length + 1, at: entries.at(-1)!.at, event: answered };
    const result = (await takenOver(up.url, run, [...entries, last])).map(({ event }) => event);
    expect(result.filter(({ type }) => type === "ask-end")).toEqual([answered]);
    expect(result.filter(({ type }) => type === "tool-end")).toMatchObject([{ outcome: "ok", value: "stored" }]);
  });

  test("after a call was cancelled here and before the server was notified: the next process notifies it", async () => {
    const up = await working();
    const { run, entries } = await handedOver(up.url);
    const ended: Event = { type: "tool-end", call: "c", outcome: "cancelled" };
    const result = await takenOver(up.url, run, [
      ...entries,
      { seq: entries.length + 1, at: entries.at(-1)!.at, event: ended },
    ]);
    expect(stateOf(result)).toEqual(stateOf(await up.entries()));
  });

  test("a call cancelled before the next process has read the run: it is cancelled on the server too", async () => {
    const up = await working();
    const { run, entries } = await handedOver(up.url);
    const log = await cutLog(run, entries);
    const second = follower(up.url, log);
    expect(await second.recover()).toBe(1);
    expect(await second.cancel(run, { call: "c" })).toBe("cancelled");
    await untilEnd(log, run);
    expect(stateOf(await entriesOf(log, run))).toEqual(stateOf(await up.entries()));
  });

  test("after a call ended here and not upstream: later events about it are dropped", async () => {
    const chained = await chain(native, async function* () {
      yield* started;
      yield { type: "tool-output-delta", call: "c", stream: "stdout", delta: "more" };
      yield { type: "tool-end", call: "c", outcome: "ok" };
      yield { type: "file", name: "late.txt", url: "https://example.com/late.txt", call: "c" };
      yield { type: "step-start", step: "next" };
    });
    const { run, entries } = await playedTo(chained, "hi");
    const at = entries.findIndex(({ event }) => event.type === "tool-execute") + 1;
    const ended: Entry = {
      seq: at + 1,
      at: entries[at - 1]!.at,
      event: { type: "tool-end", call: "c", outcome: "cancelled" },
    };
    const result = (await takenOver(chained.up.url, run, [...entries.slice(0, at), ended])).map(({ event }) => event);
    expect(result.filter(({ type }) => type === "tool-end")).toMatchObject([{ outcome: "cancelled" }]);
    expect(result.some(({ type }) => type === "tool-output-delta")).toBe(false);
    expect(result.filter(({ type }) => type === "file")).toHaveLength(1);
    expect(result.at(-1)).toMatchObject({ type: "run-end", outcome: "done" });
  });

  test("can be cancelled upstream after the takeover", async () => {
    const up = await asking();
    const log = memory();
    const first = follower(up.url, log);
    const { run } = await first.start({ ...request, run: RUN }, agentOf(up.url));
    await untilEvent(log, run, isAsk);
    await first.close({ handOverMs: LONG_MS });
    const second = follower(up.url, log);
    await second.recover();
    expect(await second.cancel(run)).toBe("cancelled");
    expect((await up.entries()).at(-1)?.event).toMatchObject({ type: "run-end", outcome: "cancelled" });
  });

  test.each([[[]], [[{ type: "file" as const, mediaType: "text/plain", data: "aGk=" }]]])(
    "is cancelled upstream if the user cancelled it while no process followed it (files: %j)",
    async (files) => {
      const up = await asking();
      const log = memory();
      const first = follower(up.url, log);
      const messages = [{ role: "user" as const, content: [...request.messages[0]!.content, ...files] }];
      const { run } = await first.start({ messages, run: RUN }, agentOf(up.url));
      await untilEvent(log, run, isAsk);
      await first.close({ handOverMs: LONG_MS });
      await log.send(run, { id: "1", kind: "cancel" });
      await follower(up.url, log).recover();
      const cancelled = { type: "run-end", outcome: "cancelled" };
      expect((await untilEnd(log, run)).at(-1)).toMatchObject(cancelled);
      await expect.poll(async () => (await up.entries()).at(-1)?.event).toMatchObject(cancelled);
    },
  );
});

describe("an upstream run that can no longer be followed ends as interrupted, with a reason", () => {
  const ended = { type: "run-end", outcome: "interrupted", error: { code: "interrupted", retryable: true } };

  test("if the upstream server no longer has the run", async () => {
    const up = await asking();
    const log = memory();
    const first = follower(up.url, log);
    const { run } = await first.start({ ...request, run: RUN }, agentOf(up.url));
    await untilEvent(log, run, isAsk);
    await first.close({ handOverMs: LONG_MS });
    const another = await serve(demoAgent());
    const entries = await takenOver(another.url, run, await entriesOf(log, run));
    expect(entries.at(-1)?.event).toMatchObject(ended);
    expect(entries.at(-1)?.event).toMatchObject({ error: { message: expect.stringContaining("cannot be followed") } });
  });

  test("if the server had not responded yet", async () => {
    const up = await serve(demoAgent());
    const begun: Entry = { seq: 1, at: 1, event: { type: "run-start", protocol: 2, run: RUN, name: "test" } };
    const [, end] = await takenOver(up.url, RUN, [begun]);
    expect(end?.event).toMatchObject(ended);
    expect(end?.event).toMatchObject({ error: { message: expect.stringContaining("before the upstream server") } });
  });

  test("without a request to a server of a dialect whose runs have no ids", () => {
    const { resume, follows } = http({ dialect: { ...native, segments: true }, url: "http://127.0.0.1:9" });
    expect([resume, follows]).toEqual([undefined, undefined]);
  });
});

const isAsk = ({ type }: Event) => type === "ask-start";

/** A Runcast server whose agent asks the user during a call. */
const asking = async () => {
  const log = memory();
  const source: Source = async function* (_, context) {
    yield* started;
    yield { type: "ask-start", ask: "ask", kind: "input", call: "c", title: "?" };
    const { answer } = await context.answerTo("ask");
    if (answer) yield { type: "tool-end", call: "c", outcome: "ok", value: answer.value ?? null };
  };
  const { url } = await serve(source, { log });
  return { url, entries: async () => await entriesOf(log, (await log.list({ limit: 1 }))[0]!.run) };
};

/** A server whose agent's call ends when it is cancelled. */
const working = async () => {
  const log = memory();
  const source: Source = async function* (_, context) {
    yield* started;
    const signal = context.signalOf("call", "c");
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    yield { type: "tool-end", call: "c", outcome: "cancelled" };
    yield { type: "step-start", step: "after" };
  };
  const { url } = await serve(source, { log });
  return { url, entries: async () => await entriesOf(log, (await log.list({ limit: 1 }))[0]!.run) };
};

/** The entries of a run of that server whose process has left while the call works. */
const handedOver = async (url: string) => {
  const log = memory();
  const first = follower(url, log);
  const { run } = await first.start({ ...request, run: RUN }, agentOf(url));
  await untilEvent(log, run, ({ type }) => type === "tool-execute");
  await first.close({ handOverMs: LONG_MS });
  return { run, entries: await entriesOf(log, run) };
};
