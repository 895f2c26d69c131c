import type { Answer, Entry, Event, EventOf } from "../src/events.ts";
import type { Log } from "../src/log.ts";
import { memory } from "../src/logs/memory.ts";
import { demoAgent, demoStories, demoTools } from "../src/models/demo.ts";
import { choicesOf } from "../src/protocol.ts";
import { type Runner, createRunner } from "../src/runner.ts";
import type { RunRequest, Source } from "../src/source.ts";
import type { Tool } from "../src/tool.ts";

const LEASE_MS = 10_000;
const RUN = "run";
const never = new Promise<never>(() => {});

export interface CrashStory {
  readonly name: string;
  readonly request: RunRequest;
  /** How the user reacts to an event. */
  react?(event: Event, runner: Runner): unknown;
}

const asked = (message: string): RunRequest => ({
  run: RUN,
  messages: [{ role: "user", content: [{ type: "text", text: message }] }],
});

const reactions: Record<string, CrashStory["react"]> = {
  approval: (event, runner) =>
    event.type === "ask-start" && runner.answer(RUN, event.ask, { allow: true, input: event.value! }, "Ada"),
  question: (event, runner) =>
    event.type === "ask-start" && runner.answer(RUN, event.ask, { value: choicesOf(event)[0]!.value }, "Ada"),
  cancel: (event, runner) => event.type === "tool-execute" && runner.cancel(RUN, { by: "Ada" }),
};

const tools = [{ name: "show_map", description: "Shows a place.", schema: { type: "object", properties: {} } }];

export const crashStories: readonly CrashStory[] = [...demoStories, { name: "everything", message: "Hello" }].map(
  ({ name, message }) => ({
    name,
    request: { ...asked(message), ...(name === "client-run tool" && { tools }) },
    ...(reactions[name] && { react: reactions[name] }),
  }),
);

export interface Execution {
  readonly call: string;
  readonly name: string;
  readonly repeatable: boolean;
}

/** One run whose processes die one after the other, each after storing a number of entries. */
export const crash = async (
  { request, react }: CrashStory,
  /** The entry after which each process stops silently. The process after the last one lets the run end. */
  deaths: readonly number[],
): Promise<{
  readonly entries: readonly Entry[];
  readonly executions: readonly Execution[];
  readonly taken: number;
}> => {
  let now = 0;
  const inner = memory({ now: () => now });
  const executions: Execution[] = [];
  let taken = 0;

  for (const death of [...deaths, Infinity]) {
    const process = dyingAfter(inner, death);
    const agent = { name: "demo", source: countingAgent(executions) };
    const runner = createRunner({ log: process.log, findAgent: () => agent, leaseMs: LEASE_MS });
    let read = 0;
    const look = () => {
      if (process.isDead()) return;
      for (const { seq, event } of inner.read(RUN, read, 100_000) as readonly Entry[]) {
        read = seq;
        if (react && isOpen(inner, event)) void react(event, runner);
      }
    };
    const unwatch = inner.watch(RUN, look);
    if (await inner.info(RUN)) {
      await Promise.race([runner.recover(), process.died]);
      look();
      taken++;
    } else await Promise.race([runner.start(request, agent), process.died]);
    await Promise.race([ended(inner), process.died]);
    unwatch();
    if ((await inner.info(RUN))?.endedAt !== undefined) {
      await runner.close();
      break;
    }
    now += LEASE_MS + 1;
  }
  return { entries: await inner.read(RUN, 0, 100_000), executions, taken };
};

/** Takes over a run with these entries, regardless of the source that wrote them, and lets it end. */
export const takeOver = async (
  written: readonly Entry[],
): Promise<{ readonly entries: readonly Entry[]; readonly executions: readonly Execution[] }> => {
  const log = memory();
  const executions: Execution[] = [];
  const agent = { name: "demo", source: countingAgent(executions) };
  await log.append(RUN, written);
  const runner = createRunner({ log, findAgent: () => agent, leaseMs: LEASE_MS });
  let read = 0;
  const look = () => {
    for (const { seq, event } of log.read(RUN, read, 100_000) as readonly Entry[]) {
      read = seq;
      if (event.type === "ask-start" && isOpen(log, event)) void runner.answer(RUN, event.ask, answerTo(event));
      // A tool of the demo that is meant to be stopped.
      if (event.type === "tool-execute" && isOpen(log, event)) void runner.cancel(RUN, { call: event.call });
    }
  };
  const unwatch = log.watch(RUN, () => setImmediate(look));
  await runner.recover();
  look();
  await ended(log);
  unwatch();
  await runner.close();
  return { entries: await log.read(RUN, 0, 100_000), executions };
};

const answerTo = (event: EventOf<"ask-start">): Answer => {
  if (event.kind === "approval" || event.kind === "confirmation") return { allow: true };
  return { value: choicesOf(event)[0]?.value ?? null };
};

/** The log as one process sees it: after the entry `death`, nothing is stored, and no request is answered. */
const dyingAfter = (inner: Log, death: number) => {
  const died = Promise.withResolvers<void>();
  let isDead = false;
  const log: Log = {
    ...inner,
    append(run, entries, as) {
      if (isDead) return never;
      const kept = entries.filter(({ seq }) => seq <= death);
      if (kept.length < entries.length) {
        isDead = true;
        died.resolve();
      }
      const stored = kept.length > 0 ? inner.append(run, kept, as) : undefined;
      return isDead ? never : stored;
    },
    read: (run, after, limit) => (isDead ? never : inner.read(run, after, limit)),
    takeOver: (run, owner) => (isDead ? never : inner.takeOver(run, owner)),
    heartbeat: (owner, leaseMs) => (isDead ? never : inner.heartbeat(owner, leaseMs)),
    orphans: (limit) => (isDead ? never : inner.orphans(limit)),
  };
  return { log, died: died.promise, isDead: () => isDead };
};

/** The demo agent, whose tools, including those of its sub-agents, count their executions. */
const countingAgent = (executions: Execution[]): Source => {
  const tools = counted(demoTools({ speed: Infinity }), executions);
  const only = (...names: string[]) => tools.filter(({ name }) => names.includes(name));
  const described = (role: string) => ({
    description: role,
    instructions: `You are the ${role} of the scripted demo.`,
  });
  const summarizer = { ...described("summarizer"), tools: only("calculate") };
  const reader = { ...described("reader"), tools: only("search_notes"), agents: { summarizer } };
  const researcher = { ...described("researcher"), tools: only("search_notes", "calculate"), agents: { reader } };
  return demoAgent({ speed: Infinity, tools, agents: { researcher } });
};

const counted = (tools: readonly Tool[], executions: Execution[]): Tool[] =>
  tools.map((tool) => ({
    ...tool,
    run(input, context) {
      executions.push({ call: context.call, name: tool.name, repeatable: tool.repeatable === true });
      return tool.run(input, context);
    },
  }));

/** Whether the item that the event started is still open: a user only answers what is shown. */
const isOpen = (log: Log, event: Event): boolean => {
  const entries = log.read(RUN, 0, 100_000) as readonly Entry[];
  if (event.type === "ask-start")
    return !entries.some(({ event: other }) => other.type === "ask-end" && other.ask === event.ask);
  if (event.type === "tool-execute")
    return !entries.some(({ event: other }) => other.type === "tool-end" && other.call === event.call);
  return false;
};

const ended = (log: Log): Promise<void> =>
  new Promise((resolve) => {
    const check = async () => {
      if ((await log.info(RUN))?.endedAt === undefined) return;
      stop();
      resolve();
    };
    const stop = log.watch(RUN, () => void check());
    void check();
  });
