import { expect, test } from "vitest";
import { dialects } from "../src/config/dialects.ts";
import type { Answer, Entry, Event } from "../src/events.ts";
import { memory } from "../src/logs/memory.ts";
import type { Source } from "../src/source.ts";
import { request, setUp, untilEnd, untilEvent } from "./running.ts";
import { post, serve, start, until } from "./serving.ts";

const options = [
  { id: "once", label: "Allow once", allow: true },
  { id: "reject", label: "Reject", allow: false },
];

/** Asks for approval of a call, with options, and follows the answer. */
const asking: Source = async function* (_, { answerTo }) {
  yield { type: "step-start", step: "s" };
  yield { type: "tool-start", call: "c", name: "t" };
  yield { type: "tool-input-end", call: "c", input: {} };
  yield { type: "step-end", step: "s", finish: "tools" };
  yield { type: "ask-start", ask: "a", kind: "approval", call: "c", options };
  const { answer } = await answerTo("a");
  if (answer?.allow) yield { type: "tool-execute", call: "c" };
  yield { type: "tool-end", call: "c", outcome: answer?.allow ? "ok" : "denied" };
};

test.each<[Answer, string]>([
  [{ allow: true, option: "ever" }, 'this approval offers no option "ever"'],
  [{ allow: false, option: "once" }, "the option once allows, but allow is false"],
])("the answer %j is refused, also over HTTP", async (answer, message) => {
  const log = memory();
  const { url } = await serve(asking, { log });
  const run = await start(url, { message: "hi" });
  await until(async () => (await log.read(run, 0, 99)).some(({ event }) => event.type === "ask-start"));
  const response = await post(`${url}/runs/${run}/asks/a`, answer);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: { code: "bad-answer", message } });
  expect((await post(`${url}/runs/${run}/asks/a`, { allow: true, option: "once" })).status).toBe(200);
  await until(async () => (await log.info(run))?.endedAt !== undefined);
  expect((await log.read(run, 0, 99)).find(({ event }) => event.type === "ask-end")?.event).toMatchObject({
    answer: { allow: true, option: "once" },
  });
});

test("an answer without an option is accepted from clients that do not know options", async () => {
  const { runner, log } = setUp();
  const { run } = await runner.start(request, { name: "test", source: asking });
  await untilEvent(log, run, ({ type }) => type === "ask-start");
  expect(await runner.answer(run, "a", { allow: false })).toBe("accepted");
  expect(await untilEnd(log, run)).toContainEqual({ type: "tool-end", call: "c", outcome: "denied" });
});

test("an answer that arrives while its ask is being stored takes effect", async () => {
  const { runner, log } = setUp();
  let read = 0;
  log.watch("r", () => {
    for (const { seq, event } of log.read("r", read, 99) as readonly Entry[]) {
      read = seq;
      if (event.type === "ask-start") void runner.answer("r", event.ask, { allow: true });
    }
  });
  await runner.start({ ...request, run: "r" }, { name: "test", source: asking });
  expect(await untilEnd(log, "r")).toContainEqual({ type: "tool-end", call: "c", outcome: "ok" });
});

test.each(dialects)("$name names the options of an approval", (dialect) => {
  const events: Event[] = [
    { type: "run-start", protocol: 2, run: "r", name: "test" },
    { type: "step-start", step: "s" },
    { type: "tool-start", call: "c", name: "t" },
    { type: "tool-input-end", call: "c", input: {} },
    { type: "step-end", step: "s", finish: "tools" },
    { type: "ask-start", ask: "a", kind: "approval", call: "c", options },
  ];
  const encode = dialect.encode({ link: () => "" });
  const frames = events.flatMap((event, index) => encode({ seq: index + 1, at: index, event }));
  for (const { label } of options) expect(frames.map(({ data }) => data).join("\n")).toContain(label);
});
