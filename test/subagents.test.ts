import { expect, test } from "vitest";
import { z } from "zod";
import { native } from "../src/dialects/native.ts";
import type { Entry, Event, EventOf, EventType } from "../src/events.ts";
import { type SubagentOptions, agent } from "../src/sources/agent.ts";
import { frameText } from "../src/sse.ts";
import { defineTool } from "../src/tool.ts";
import { playing, script } from "./drive.ts";
import { randomFrom } from "./random.ts";
import { entriesOf, request, setUp, untilEnd } from "./running.ts";

const PARALLEL = 20;
const DEEP = 5;
/** The size of an event on the wire in addition to its payload: its name, ids, time and frame. */
const OVERHEAD = 200;

const seed = Number(process.env.RUNCAST_SEED ?? Math.floor(Math.random() * 2 ** 31));
console.log(`sub-agents are answered in random order, RUNCAST_SEED=${seed}`);

const pay = defineTool({
  name: "pay",
  description: "",
  input: z.object({ who: z.string(), by: z.string().optional() }),
  approval: "always",
  run: ({ who, by }) => `paid ${who} by ${by}`,
});

const jobs = Array.from({ length: PARALLEL }, (_, index) => `job ${index + 1}`);
const deep = Array.from({ length: DEEP }, (_, index) => `deep ${index + 1}`);
const joined = ({ results }: { results: readonly { text: string }[] }) => results.map(({ text }) => text).join("; ");
const stories = [
  script(
    "hi",
    [
      ...jobs.map((task) => ({ call: "task", input: { agent: "worker", task } })),
      { call: "task", input: { agent: "level", task: deep[0] } },
    ],
    [{ say: "done" }],
  ),
  ...jobs.map((job) =>
    script(
      job,
      [{ think: `I am ${job}.` }, { say: `${job} works. ` }, { call: "pay", input: { who: job } }],
      (turn) => [{ say: `${job} got: ${joined(turn)}` }],
    ),
  ),
  ...deep.map((level, index) =>
    script(
      level,
      [
        { say: `${level} works. ` },
        { call: "pay", input: { who: level } },
        ...(index + 1 < DEEP ? [{ call: "task", input: { agent: "level", task: deep[index + 1] } }] : []),
      ],
      (turn) => [{ say: `${level} got: ${joined(turn)}` }],
    ),
  ),
];
const levels = (left: number): SubagentOptions => ({
  tools: [pay],
  ...(left > 1 && { agents: { level: levels(left - 1) } }),
});

test("many sub-agents, wide and deep, with approvals answered in random order, do not mix", async () => {
  const random = randomFrom(seed);
  const { model } = playing(...stories);
  const source = agent({ name: "test", model, agents: { worker: { tools: [pay] }, level: levels(DEEP) } });
  const { runner, log } = setUp();
  const { run } = await runner.start(request, { name: "test", source });

  const answered = new Set<string>();
  while ((await log.info(run))?.endedAt === undefined) {
    const asks = (await entriesOf(log, run)).flatMap(({ event }) => (event.type === "ask-start" ? [event] : []));
    const open = asks.filter(({ ask }) => !answered.has(ask));
    const ask = open[Math.floor(random() * open.length)];
    // Wait until all asks that can be open together are open.
    if (asks.length <= PARALLEL || !ask) {
      await new Promise((resolve) => setTimeout(resolve, 1));
      continue;
    }
    answered.add(ask.ask);
    const { who } = ask.value as { who: string };
    const answer = isAllowed(who)
      ? { allow: true, input: { who, by: ask.ask } }
      : { allow: false, reason: `not ${who}` };
    expect(await runner.answer(run, ask.ask, answer)).toBe("accepted");
  }
  const events = await untilEnd(log, run);
  const all = <Type extends EventType>(type: Type) => events.filter((event) => event.type === type) as EventOf<Type>[];
  const agents = all("agent-start");
  expect(agents).toHaveLength(PARALLEL + DEEP);
  expect(all("ask-start")).toHaveLength(PARALLEL + DEEP);
  expect(events.at(-1)).toMatchObject({ type: "run-end", outcome: "done" });

  for (const { agent: id, task = "", call, parent } of agents) {
    const own = events.filter((event) => event.agent === id);
    const [ask] = own.filter((event) => event.type === "ask-start");
    expect(ask?.value).toEqual({ who: task });
    const result = isAllowed(task) ? `paid ${task} by ${ask?.ask}` : `The user denied this call: not ${task}`;
    const text = textOf(own);
    expect(text).toMatch(new RegExp(`^${task} works\\. ${task} got: `));
    expect(text).toContain(result);
    const level = deep.indexOf(task);
    const others = [...jobs, ...deep].filter((other) => other !== task && !(level >= 0 && deep.indexOf(other) > level));
    for (const other of others) expect(text).not.toMatch(new RegExp(`${other}\\b`));
    // Its last text is the result of the call that started it, in the parent agent.
    const caused = events.find((event) => event.type === "tool-end" && event.call === call);
    expect(caused).toMatchObject({
      outcome: "ok",
      content: [{ type: "text", text: text.slice(`${task} works. `.length) }],
    });
    expect(caused?.agent).toBe(parent);
    expect(own.at(-1)).toMatchObject({ type: "agent-end", outcome: "done" });
    const used = own.reduce((sum, event) => sum + (event.type === "step-end" ? (event.usage?.output ?? 0) : 0), 0);
    expect(used).toBeGreaterThan(0);
    expect(own.at(-1)).toMatchObject({ usage: { output: used } });
  }

  const encode = native.encode({ link: ({ file }) => file });
  for (const entry of await entriesOf(log, run)) {
    const wire = encode(entry).reduce((sum, frame) => sum + Buffer.byteLength(frameText(frame)), 0);
    expect(wire, JSON.stringify(entry)).toBeLessThanOrEqual(1.3 * payloadOf(entry) + OVERHEAD);
  }
});

/** Every third one is denied. */
const isAllowed = (who: string): boolean => Number(who.split(" ")[1]) % 3 !== 0;

const textOf = (events: readonly Event[]): string =>
  events.map((event) => (event.type === "text-delta" ? event.delta : "")).join("");

/** The size of an event's payload in bytes. */
const payloadOf = ({ event }: Entry): number =>
  Object.entries(event)
    .filter(([name]) => CARRIED.has(name))
    .reduce((sum, [, value]) => sum + Buffer.byteLength(typeof value === "string" ? value : JSON.stringify(value)), 0);
const CARRIED = new Set([
  "delta",
  "task",
  "content",
  "value",
  "error",
  "input",
  "answer",
  "usage",
  "message",
  "title",
  "allows",
]);
