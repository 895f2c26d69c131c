import fc from "fast-check";
import type { CallOutcome, Entry, Event, Finish, RunOutcome } from "../src/events.ts";
import { takenOver } from "./generate/takeover.ts";

/** Grammatical logs of every shape, from a seed: nested agents, parallel calls, everything interleaved. */
export const arbitraryLog = (size = 3): fc.Arbitrary<Entry[]> =>
  fc.noShrink(fc.integer({ min: 0, max: 2 ** 31 - 1 })).map((seed) => generateLog(seed, size));

export const generateLog = (seed: number, size = 3): Entry[] => {
  let at = 1_700_000_000_000;
  const random = createRandom(seed);
  return [...run(random, size)].map((event, index) => ({ seq: index + 1, at: (at += random.below(40)), event }));
};

export interface Random {
  below(limit: number): number;
  chance(probability: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
  id(kind: string): string;
  text(): string;
}

const PIECES = [
  "Hello",
  " world",
  "\n",
  "é",
  "🙂",
  '"quoted"',
  "</details>",
  "data: x\n\n",
  "<b>",
  "\u2028",
  " ",
  "\\",
  "a".repeat(60),
];

const createRandom = (seed: number): Random => {
  let state = seed >>> 0;
  let ids = 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    below,
    chance: (probability) => next() < probability,
    pick: (items) => items[below(items.length)]!,
    id: (kind) => `${kind}_${++ids}`,
    text: () => PIECES[below(PIECES.length)]!,
  };
};

export type Life = Generator<Event, void>;

/** Interleaves lives at random. Each keeps its own order. */
function* merge(random: Random, lives: Life[]): Life {
  while (lives.length) {
    const index = random.below(lives.length);
    const next = lives[index]!.next();
    if (next.done) lives.splice(index, 1);
    else yield next.value;
  }
}

function* run(random: Random, size: number): Life {
  const start: Event = {
    type: "run-start",
    protocol: 2,
    run: "run_1",
    name: "generated",
    ...(random.chance(0.5) && { thread: "thread_1", model: "a model", user: { id: "user_1", name: "Ann" } }),
    ...(random.chance(0.3) && { previous: random.pick(["run_0", null]) }),
    message: { role: "user", content: [{ type: "text", text: random.text() }] },
  };
  yield start;
  if (random.chance(0.25)) yield* takenOver(random, start, agent(random, size, undefined, []));
  const answer: string[] = [];
  yield* agent(random, size, undefined, answer);
  const outcome = random.pick<RunOutcome>(["done", "done", "error", "cancelled", "interrupted"]);
  yield {
    type: "run-end",
    outcome,
    ...(outcome === "done"
      ? answer.length && { answer }
      : { error: { code: "E", message: random.text(), retryable: true } }),
    ...(random.chance(0.5) && { usage: { input: 10, output: 20, reasoning: 3 } }),
  };
}

function* agent(random: Random, size: number, id: string | undefined, answer: string[]): Life {
  const of = id === undefined ? {} : { agent: id };
  const background: Life[] = [];
  for (let steps = 1 + random.below(size); steps > 0; steps--) {
    const step = random.id("step");
    yield { type: "step-start", ...of, step, ...(random.chance(0.3) && { model: "another" }) };
    if (random.chance(0.2))
      yield {
        type: "step-retry",
        ...of,
        step,
        attempt: 1,
        wait: 100,
        error: { code: "429", message: "slow down", retryable: true },
      };
    const calls: string[] = [];
    const texts: string[] = [];
    const lives = Array.from({ length: random.below(size + 2) }, () => {
      if (random.chance(0.4)) return toolInput(random, of, calls);
      const part = random.id("part");
      const isText = random.chance(0.6);
      if (isText) texts.push(part);
      return words(random, of, isText ? "text" : "thinking", part);
    });
    if (background.length) yield* merge(random, [...lives, ...background.splice(0)]);
    else yield* merge(random, lives);
    yield {
      type: "step-end",
      ...of,
      step,
      finish: calls.length ? "tools" : random.pick<Finish>(["stop", "stop", "stop", "length", "filter"]),
      ...(random.chance(0.7) && { usage: { input: random.below(99), output: random.below(99) } }),
    };
    if (!calls.length) answer.splice(0, answer.length, ...texts);
    const executions = calls.map((call) => execution(random, size, of, call));
    // Some calls outlive their step and the next.
    while (executions.length && random.chance(0.2)) background.push(executions.pop()!);
    yield* merge(random, [...executions, ...marks(random, of)]);
  }
  yield* merge(random, background);
}

function* words(random: Random, of: { agent?: string }, kind: "text" | "thinking", part: string, call?: string): Life {
  if (kind === "text") yield { type: "text-start", ...of, part, ...(call && { call }) };
  else
    yield {
      type: "thinking-start",
      ...of,
      part,
      ...(random.chance(0.1) && { redacted: true }),
      ...(random.chance(0.2) && { meta: { signature: "s" } }),
    };
  for (let deltas = random.below(5); deltas > 0; deltas--)
    yield { type: `${kind}-delta`, ...of, part, delta: random.text() };
  yield { type: `${kind}-end`, ...of, part, ...(random.chance(0.1) && { cut: true }) };
}

function* toolInput(random: Random, of: { agent?: string }, calls: string[]): Life {
  const call = random.id("call");
  yield {
    type: "tool-start",
    ...of,
    call,
    name: random.pick(["read_file", "weather__get", "task"]),
    ...(random.chance(0.1) && { title: "A title" }),
  };
  const input = JSON.stringify({ path: random.text(), nested: [1, { two: random.text() }] });
  if (random.chance(0.7)) {
    for (let start = 0; start < input.length;) {
      const length = 1 + random.below(20);
      yield { type: "tool-input-delta", ...of, call, delta: input.slice(start, start + length) };
      start += length;
    }
    yield { type: "tool-input-end", ...of, call };
  } else if (random.chance(0.8)) yield { type: "tool-input-end", ...of, call, input: JSON.parse(input) };
  calls.push(call);
}

function* execution(random: Random, size: number, of: { agent?: string }, call: string): Life {
  if (random.chance(0.2)) {
    const ask = random.id("ask");
    const allow = random.chance(0.7);
    const options = random.chance(0.4) && [
      { id: "once", label: random.text(), allow: true },
      { id: "reject", label: "Reject", allow: false },
    ];
    const value = { a: 1 };
    yield {
      type: "ask-start",
      ...of,
      ask,
      kind: "approval",
      call,
      allows: ["edit"],
      value,
      ...(options && { options }),
    };
    const answer = { allow, ...(options && { option: allow ? "once" : "reject" }) };
    if (random.chance(0.8)) yield { type: "ask-end", ...of, ask, outcome: "answered", answer, by: "Ann" };
    else yield { type: "ask-end", ...of, ask, outcome: "expired" };
    const isLast = random.chance(0.5);
    if (!allow || isLast) return yield { type: "tool-end", ...of, call, outcome: "denied" };
    return yield { type: "tool-end", ...of, call, outcome: "error", error: { code: "invalid-input", message: "no" } };
  }
  if (random.chance(0.1))
    return yield {
      type: "tool-end",
      ...of,
      call,
      outcome: random.pick<CallOutcome>(["error", "cancelled", "interrupted", "deferred"]),
    };
  yield { type: "tool-execute", ...of, call, ...(random.chance(0.1) && { input: { edited: true } }) };
  const lives: Life[] = [];
  for (let things = random.below(4); things > 0; things--) lives.push(during(random, size, of, call));
  yield* merge(random, lives);
  yield {
    type: "tool-end",
    ...of,
    call,
    outcome: random.pick<CallOutcome>(["ok", "ok", "ok", "error", "timeout", "cancelled", "interrupted"]),
    ms: random.below(500),
    ...(random.chance(0.7) && { content: [{ type: "text", text: random.text() }] }),
    ...(random.chance(0.3) && { value: { temperature: 18 } }),
  };
}

function* during(random: Random, size: number, of: { agent?: string }, call: string): Life {
  switch (random.below(6)) {
    case 0:
      yield { type: "tool-progress", ...of, call, note: random.text(), fraction: 0.5 };
      return;
    case 1:
      for (const stream of ["stdout", "stderr", "stdout"] as const)
        yield { type: "tool-output-delta", ...of, call, stream, delta: random.text() };
      return;
    case 2:
      return yield* words(random, of, "text", random.id("part"), call);
    case 3: {
      const ask = random.id("ask");
      yield { type: "ask-start", ...of, ask, kind: "input", call, title: "Which?", expires: 1_800_000_000_000 };
      return yield { type: "ask-end", ...of, ask, outcome: "answered", answer: { value: random.text() } };
    }
    case 4:
      yield { type: "status", ...of, call, text: random.text() };
      return yield { type: "file", ...of, call, name: "a.txt", file: "f1", bytes: 3, change: "created" };
    default: {
      if (size < 1) return;
      const child = random.id("agent");
      yield {
        type: "agent-start",
        agent: child,
        ...(of.agent && { parent: of.agent }),
        call,
        name: "researcher",
        task: random.text(),
      };
      yield* agent(random, size - 1, child, []);
      return yield {
        type: "agent-end",
        agent: child,
        outcome: random.pick<RunOutcome>(["done", "error", "cancelled"]),
        usage: { output: 5 },
      };
    }
  }
}

/** Events without a start and an end. */
const marks = (random: Random, of: { agent?: string }): Life[] =>
  random.chance(0.6)
    ? []
    : [
        (function* (): Life {
          yield { type: "status", ...of, text: random.text() };
          yield {
            type: "citation",
            ...of,
            citation: random.id("citation"),
            title: "A source",
            url: "https://example.org/",
            text: random.text(),
            author: "Ann",
            published: "2025-12-31",
            accessed: "2026-01-02T03:04:05Z",
          };
          yield { type: "notice", ...of, level: "info", text: random.text() };
          yield { type: "data", ...of, name: "todos", value: [{ id: "1", text: "look", status: "active" }] };
          yield { type: "data", ...of, name: "todos", patch: [{ op: "replace", path: "/0/status", value: "done" }] };
          yield { type: "embed", ...of, embed: "chart", html: "<p>1</p>", origins: [] };
          yield { type: "embed", ...of, embed: "chart", html: "<p>2</p>" };
        })(),
      ];
