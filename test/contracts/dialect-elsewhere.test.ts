import { describe, expect, test } from "vitest";
import type { AskAnswer, Command, Dialect } from "../../src/dialect.ts";
import { native } from "../../src/dialects/native.ts";
import type { Event } from "../../src/events.ts";
import type { Log } from "../../src/log.ts";
import { memory } from "../../src/logs/memory.ts";
import type { Source } from "../../src/source.ts";
import { entriesOf, untilEnd, untilEvent } from "../running.ts";
import { framesOf, post, serve } from "../serving.ts";
import { dialects } from "./dialect-variants.ts";

/** Two processes that share a log. Each is a server in this dialect. `one` owns every run that it starts. */
const twoProcesses = async (dialect: Dialect, source: Source) => {
  const log = memory();
  const options = { log, dialects: [...new Set([native, dialect])] };
  const [one, other] = [await serve(source, options), await serve(source, options)];
  const send = (url: string, command: Command): Promise<Response> => {
    const { method, path, headers, body } = dialect.write(command);
    return fetch(url + path, { method, headers: { ...headers }, ...(body !== undefined && { body }) });
  };
  const start = async (run: string): Promise<void> => {
    const accept = { accept: "application/json" };
    expect((await post(`${one.url}/runs`, { run, message: "hi", thread: `of-${run}` }, accept)).status).toBe(202);
  };
  return { log, start, url: other.url, elsewhere: (command: Command) => send(other.url, command) };
};

const can = (dialect: Dialect, does: Command["do"]): boolean => dialect.routes.some((route) => route.does === does);
const textOf = (events: readonly Event[]): string =>
  events.map((event) => (event.type === "text-delta" ? event.delta : "")).join("");

/** The text of a stream in this dialect, as its client decodes it. */
const textIn = async (dialect: Dialect, response: Response): Promise<string> => {
  expect(response.status).toBe(200);
  const decode = dialect.decode();
  return textOf((await framesOf(response)).flatMap((frame) => [...decode(frame)]));
};

const asking: Source = async function* (_, { answerTo }) {
  yield { type: "step-start", step: "s" };
  yield { type: "tool-start", call: "c", name: "t" };
  yield { type: "tool-input-end", call: "c", input: {} };
  yield { type: "step-end", step: "s", finish: "tools" };
  yield { type: "ask-start", ask: "a", kind: "approval", call: "c" };
  await answerTo("a");
};

const hanging: Source = async function* (_, { signal }) {
  yield { type: "step-start", step: "s" };
  await new Promise((resolve) => signal.addEventListener("abort", resolve));
};

const askOf = async (log: Log, run: string): Promise<string> => {
  await untilEvent(log, run, ({ type }) => type === "ask-start");
  const asked = (await entriesOf(log, run)).find(({ event }) => event.type === "ask-start");
  return asked?.event.type === "ask-start" ? asked.event.ask : "";
};

describe.each(dialects.map((dialect) => [dialect.name, dialect] as const))(
  "%s, through another process",
  (_, dialect) => {
    test("a run is followed while it continues, as its own process shows it", async () => {
      const go = Promise.withResolvers<void>();
      const { log, start, url, elsewhere } = await twoProcesses(dialect, async function* () {
        yield { type: "step-start", step: "s" };
        yield { type: "text-start", part: "p" };
        yield { type: "text-delta", part: "p", delta: "one " };
        await go.promise;
        yield { type: "text-delta", part: "p", delta: "two" };
      });
      await start("r");
      await untilEvent(log, "r", ({ type }) => type === "text-delta");
      const responses = [await fetch(`${url}/runs/r/events?dialect=${dialect.name}&extensions=1`)];
      const after = { seq: 0, frame: 0 };
      if (can(dialect, "follow"))
        responses.push(await elsewhere({ do: "follow", run: "r", after, skipFrames: 0, extensions: true }));
      go.resolve();
      for (const response of responses) expect(await textIn(dialect, response)).toBe("one two");
      expect(textOf(await untilEnd(log, "r"))).toBe("one two");
    });

    if (can(dialect, "cancel"))
      test("a run is cancelled", async () => {
        const { log, start, elsewhere } = await twoProcesses(dialect, hanging);
        await start("r");
        expect((await elsewhere({ do: "cancel", run: "r" })).ok).toBe(true);
        expect((await untilEnd(log, "r")).at(-1)).toMatchObject({ type: "run-end", outcome: "cancelled" });
      });

    if (can(dialect, "answer") || dialect.asks === "next-request")
      test("an ask is answered", async () => {
        const { log, start, elsewhere } = await twoProcesses(dialect, asking);
        await start("r");
        const given: AskAnswer = { ask: await askOf(log, "r"), answer: { allow: true }, call: "c" };
        const messages = [{ role: "user" as const, content: [{ type: "text" as const, text: "hi" }] }];
        const response = await elsewhere(
          can(dialect, "answer")
            ? { do: "answer", run: "r", ask: given.ask, answer: given.answer }
            : { do: "start", request: { thread: "of-r", messages }, answers: [given], extensions: true },
        );
        expect(response.status).toBe(200);
        expect(await untilEnd(log, "r")).toContainEqual(
          expect.objectContaining({ type: "ask-end", ask: given.ask, outcome: "answered" }),
        );
        await response.text();
      });
  },
);
