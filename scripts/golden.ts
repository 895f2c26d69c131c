// Records every story as golden/runs/<story>.jsonl with the real loop and runner. Writes the trees into PROTOCOL.md,
// the expected results for readers to conformance/stories.json, and the stream of each dialect to golden/dialects.
// Normalizes times, so that recording again changes only what really changed.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { dialects } from "../src/config/dialects.ts";
import type { Entry, Event } from "../src/events.ts";
import type { Log } from "../src/log.ts";
import { choicesOf } from "../src/protocol.ts";
import { memory } from "../src/logs/memory.ts";
import { demoAgent, demoStories } from "../src/models/demo.ts";
import { type Runner, createRunner } from "../src/runner.ts";
import { createState, fold } from "../src/state.ts";
import type { RunRequest, Source } from "../src/source.ts";
import { extraStories, type Story } from "./golden/stories.ts";
import { type Outline, outlineOf } from "./golden/outline.ts";
import { streamOf } from "./golden/streams.ts";
import { tree } from "./golden/tree.ts";

const root = path.join(import.meta.dirname, "..");
const directory = path.join(root, "golden/runs");
const streams = path.join(root, "golden/dialects");
const FIRST = Date.UTC(2026, 0, 1);

type React = (event: Event, runner: Runner, run: string) => unknown;

let asked = "";
/** The user's reactions while the story plays. */
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
  resume: (event, runner, run) => {
    if (event.type === "ask-start") asked = event.ask;
    // Answer after the sub-agent is done, so that the approval outlives the process that asked for it.
    if (event.type === "agent-end") void runner.answer(run, asked, { allow: true }, "Ada");
  },
  cancel: (event, runner, run) => event.type === "tool-progress" && runner.cancel(run, { by: "Ada" }),
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

type Playable = Omit<Story, "source"> & Partial<Story>;

/** Follows a run and reacts to it like a user. Resolves at its last entry, or where its process dies. */
const follow = (log: Log, runner: Runner, run: string, { name, dies }: Playable): Promise<number> => {
  const { promise, resolve } = Promise.withResolvers<number>();
  const past: Event[] = [];
  const look = (): void => {
    for (const { event, seq } of log.read(run, past.length, 10_000) as readonly Entry[]) {
      past.push(event);
      void reactions[name]?.(event, runner, run);
      if (event.type === "run-end" || dies?.(past)) resolve(seq);
    }
  };
  const stop = log.watch(run, look);
  return promise.finally(stop);
};

const record = async (story: Playable, demoSource: Source): Promise<readonly Entry[]> => {
  const { name, message, source = demoSource, dies, successor } = story;
  const run = name.replaceAll(" ", "-");
  const log = memory();
  const runner = createRunner({ log });
  const over = follow(log, runner, run, story);
  await runner.start(
    { run, messages: [{ role: "user", content: [{ type: "text", text: message }] }], ...requests[name] },
    { name: "demo", source },
  );
  const last = await over;
  const entries = (await log.read(run, 0, last)) as readonly Entry[];
  const recorded = dies ? await recover(run, entries, { ...story, dies: undefined }, successor) : entries;
  await runner.close();
  return even(recorded);
};

/** Recovers a run whose process died after these entries. */
const recover = async (run: string, entries: readonly Entry[], story: Playable, successor: Source | undefined) => {
  const log = memory();
  await log.append(run, entries, { owner: "server-1", epoch: 1 });
  const runner = createRunner({ log, ...(successor && { findAgent: (name) => ({ name, source: successor }) }) });
  const over = follow(log, runner, run, story);
  await runner.recover();
  const recorded = await log.read(run, 0, await over);
  await runner.close();
  return recorded;
};

/** Spaces entries evenly in time and derives call durations from that. Replaces random file IDs with numbers. */
const even = (entries: readonly Entry[]): Entry[] => {
  const executedAt = new Map<string, number>();
  return entries.map(({ seq, event }) => {
    const at = FIRST + seq * 20;
    if (event.type === "tool-execute") executedAt.set(event.call, at);
    if (event.type === "tool-end" && event.ms !== undefined)
      return { seq, at, event: { ...event, ms: at - (executedAt.get(event.call) ?? at) } };
    if (event.type === "run-resume") return { seq, at, event: { ...event, owner: "server-2" } };
    if (event.type === "ask-start" && event.expires !== undefined)
      return { seq, at, event: { ...event, expires: at + 600_000 } };
    if (event.type === "file" && event.file !== undefined) return { seq, at, event: { ...event, file: `file-${seq}` } };
    if (event.type === "run-start" && event.request)
      return { seq, at, event: { ...event, request: { ...event.request, file: `file-${seq}` } } };
    return { seq, at, event };
  });
};

for (const folder of [directory, streams]) rmSync(folder, { recursive: true, force: true });
mkdirSync(directory, { recursive: true });
const demoSource = demoAgent({ speed: Infinity });
const stories: readonly Playable[] = [
  ...demoStories,
  ...extraStories,
  { name: "everything", message: "Hello", description: "the story for any other message: a bit of everything" },
  {
    name: "crash",
    message: demoStories.find(({ name }) => name === "cancel")!.message,
    description: "the server died in the middle of a call; the next start closes the run",
    dies: (past) => past.at(-1)?.type === "tool-execute",
  },
];
let trees = "";
const outlines: Record<string, Outline> = {};
for (const story of stories) {
  const { name, description } = story;
  const entries = await record(story, demoSource);
  const file = `${name.replaceAll(" ", "-")}.jsonl`;
  writeFileSync(path.join(directory, file), entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
  trees += `\n### ${name[0]!.toUpperCase()}${name.slice(1)}\n\n${description[0]!.toUpperCase()}${description.slice(1)}. (\`golden/runs/${file}\`)\n\n\`\`\`\n${tree(entries)}\`\`\`\n`;
  const state = createState();
  for (const entry of entries) fold(state, entry);
  outlines[name.replaceAll(" ", "-")] = outlineOf(state);
  for (const dialect of dialects) {
    const folder = path.join(streams, dialect.name);
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, file.replace(/jsonl$/, "sse")), streamOf(dialect, entries));
  }
  console.log(`${file}: ${entries.length} entries`);
}
writeFileSync(path.join(root, "conformance/stories.json"), `${JSON.stringify(outlines, undefined, 2)}\n`);
const protocol = path.join(root, "PROTOCOL.md");
const text = readFileSync(protocol, "utf8");
writeFileSync(
  protocol,
  text.replace(
    /(<!-- stories -->\n)[^]*(<!-- \/stories -->)/,
    (_, start: string, end: string) => `${start}${trees}\n${end}`,
  ),
);
