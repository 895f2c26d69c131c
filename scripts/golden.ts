// Records every story as golden/runs/<story>.jsonl, through the real loop and runner, and draws their trees into PROTOCOL.md.
// Times are made even, so that recording again changes only what really changed.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Entry, Event } from "../src/events.ts";
import { choicesOf } from "../src/protocol.ts";
import { memory } from "../src/logs/memory.ts";
import { demoAgent, demoStories } from "../src/models/demo.ts";
import { type Runner, createRunner } from "../src/runner.ts";
import type { RunRequest, Source } from "../src/source.ts";
import { extraStories, type Story } from "./golden/stories.ts";
import { tree } from "./golden/tree.ts";

const root = path.join(import.meta.dirname, "..");
const directory = path.join(root, "golden/runs");
const FIRST = Date.UTC(2026, 0, 1);

type React = (event: Event, runner: Runner, run: string) => unknown;

/** What a person does while the story plays. */
const reactions: Record<string, React> = {
  approval: (event, runner, run) =>
    event.type === "ask-start" &&
    runner.answer(
      run,
      event.ask,
      { allow: true, input: { ...(event.value as object), to: "team@lantern.example" } },
      "Ada",
    ),
  question: (event, runner, run) =>
    event.type === "ask-start" &&
    runner.answer(run, event.ask, { value: choicesOf(event)[0]?.value ?? "the tests" }, "Ada"),
  cancel: (event, runner, run) => event.type === "tool-execute" && runner.cancel(run, { by: "Ada" }),
};

const requests: Record<string, Partial<RunRequest>> = {
  "client-run tool": {
    tools: [
      {
        name: "show_map",
        description: "Shows a place on the map of the client.",
        schema: { type: "object", properties: { place: { type: "string" } } },
      },
    ],
  },
};

const record = async (name: string, message: string, source: Source, isCrash = false): Promise<readonly Entry[]> => {
  const log = memory();
  const runner = createRunner({ log });
  const run = name.replaceAll(" ", "-");
  const recovered = memory();
  let read = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  const look = (): void => {
    for (const { event, seq } of log.read(run, read, 10_000) as readonly Entry[]) {
      read = seq;
      if (isCrash && event.type === "tool-execute")
        void Promise.resolve(recovered.append(run, log.read(run, 0, seq) as readonly Entry[])).then(resolve);
      void reactions[name]?.(event, runner, run);
      if (event.type === "run-end") resolve();
    }
  };
  const stop = log.watch(run, look);
  await runner.start(
    { run, messages: [{ role: "user", content: [{ type: "text", text: message }] }], ...requests[name] },
    { name: "demo", source },
  );
  look();
  await promise;
  stop();
  if (isCrash) await createRunner({ log: recovered }).recover();
  const entries = await (isCrash ? recovered : log).read(run, 0, 10_000);
  await runner.close();
  return even(entries);
};

/** Spreads a run evenly over time; what a call took follows from that. */
const even = (entries: readonly Entry[]): Entry[] => {
  const executedAt = new Map<string, number>();
  return entries.map(({ seq, event }) => {
    const at = FIRST + seq * 20;
    if (event.type === "tool-execute") executedAt.set(event.call, at);
    if (event.type === "tool-end" && event.ms !== undefined)
      return { seq, at, event: { ...event, ms: at - (executedAt.get(event.call) ?? at) } };
    if (event.type === "ask-start" && event.expires !== undefined)
      return { seq, at, event: { ...event, expires: at + 600_000 } };
    return { seq, at, event };
  });
};

rmSync(directory, { recursive: true, force: true });
mkdirSync(directory, { recursive: true });
const demoSource = demoAgent({ speed: Infinity });
const stories: readonly (Omit<Story, "source"> & Partial<Story>)[] = [
  ...demoStories,
  ...extraStories,
  { name: "everything", message: "Hello", description: "what any other message plays: a bit of everything" },
  {
    name: "crash",
    message: demoStories.find(({ name }) => name === "cancel")!.message,
    description: "the server died in the middle of a call; the next start closes the run",
  },
];
let trees = "";
for (const { name, message, description, source = demoSource } of stories) {
  const entries = await record(name, message, source, name === "crash");
  const file = `${name.replaceAll(" ", "-")}.jsonl`;
  writeFileSync(path.join(directory, file), entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
  trees += `\n### ${name[0]!.toUpperCase()}${name.slice(1)}\n\n${description[0]!.toUpperCase()}${description.slice(1)}. (\`golden/runs/${file}\`)\n\n\`\`\`\n${tree(entries)}\`\`\`\n`;
  console.log(`${file}: ${entries.length} entries`);
}
const protocol = path.join(root, "PROTOCOL.md");
const text = readFileSync(protocol, "utf8");
writeFileSync(
  protocol,
  text.replace(
    /(<!-- stories -->\n)[^]*(<!-- \/stories -->)/,
    (_, start: string, end: string) => `${start}${trees}\n${end}`,
  ),
);
