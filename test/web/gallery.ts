import type { CallOutcome, Content, Event, Json } from "../../src/events.ts";
import type { RunContext, Source } from "../../src/source.ts";

/** A one-pixel image. */
const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfz0AEYBxVSF+FAAhKDveksOjmAAAAAElFTkSuQmCC",
  "base64",
);

type Scene = (context: RunContext) => AsyncIterable<Event>;

/** Plays the scenes named in the message, in order. Each call is a separate step. */
export const gallery: Source = async function* (request, context) {
  const message = request.messages.at(-1)?.content.find((part) => part.type === "text")?.text ?? "";
  for (const name of message.split(/\s+/)) yield* SCENES[name]!(context);
};

/** A finished call with this result. */
const answered = async function* (call: string, name: string, input: Json, end: Partial<Event>): AsyncGenerator<Event> {
  yield { type: "step-start", step: `step of ${call}` };
  yield { type: "tool-start", call, name };
  yield { type: "tool-input-end", call, input };
  yield { type: "step-end", step: `step of ${call}`, finish: "tools" };
  yield { type: "tool-execute", call };
  yield { type: "tool-end", call, outcome: "ok", ms: 120, ...end } as Event;
};

const textPart = async function* (part: string, text: string): AsyncIterable<Event> {
  yield { type: "step-start", step: `step of ${part}` };
  yield { type: "text-start", part };
  yield { type: "text-delta", part, delta: text };
  yield { type: "text-end", part };
  yield { type: "step-end", step: `step of ${part}`, finish: "stop" };
};

const OUTCOMES: readonly [CallOutcome, Partial<Event>][] = [
  ["ok", { content: [{ type: "text", text: "Done." }] } as Partial<Event>],
  [
    "error",
    {
      error: { code: "not-found", message: "There is no file notes.txt.", hint: "Look at the list of files." },
    } as Partial<Event>,
  ],
  ["timeout", { error: { code: "timeout", message: "It took longer than 30 s." } } as Partial<Event>],
  ["cancelled", {}],
  ["interrupted", {}],
];

const table = Array.from({ length: 120 }, (_, row) => ({
  id: row + 1,
  name: `Item ${row + 1}`,
  price: row * 1.5,
  stocked: row % 3 > 0,
}));
const tree = {
  project: "Lantern",
  checks: Array.from({ length: 400 }, (_, index) => ({ id: index, ok: index % 7 > 0, log: "line\n".repeat(5) })),
};
const LINE =
  "The quick brown fox jumps over the lazy dog, 0123456789 times in a row, and nobody knows why it does. äöü\n";
export const HUGE = LINE.repeat(100_000);

const results: Readonly<Record<string, Partial<{ content: readonly Content[]; value: Json }>>> = {
  table: { value: table },
  tree: { value: tree },
  markdown: {
    content: [
      { type: "text", text: "# Report\n\n- **one** thing\n- another thing\n\n| a | b |\n|---|---|\n| 1 | 2 |\n" },
    ],
  },
  plain: { content: [{ type: "text", text: "drwxr-xr-x 2 ada ada 4096 src\n-rw-r--r-- 1 ada ada  812 README.md" }] },
  both: { content: [{ type: "text", text: "7 of 8 checks passed." }], value: { checks: 8, failed: 1 } },
  link: {
    content: [
      { type: "link", url: "https://lantern.example/report", title: "The report" },
      { type: "link", url: "javascript:alert(1)", title: "No link" },
    ],
  },
  diff: {
    content: [
      { type: "text", text: "--- a/notes.txt\n+++ b/notes.txt\n@@ -1,2 +1,2 @@\n same\n-old line\n+new line\n" },
    ],
  },
  terminal: { content: [{ type: "text", text: "\u001b[32mok\u001b[0m 7 tests\n\u001b[31mfailed\u001b[0m 1 test\n" }] },
  huge: { content: [{ type: "text", text: HUGE }] },
};

const SCENES: Readonly<Record<string, Scene>> = {
  outcomes: async function* () {
    for (const [outcome, end] of OUTCOMES) {
      yield* answered(`call ${outcome}`, `end_as_${outcome}`, { path: "notes.txt", outcome }, {
        outcome,
        ...end,
      } as Partial<Event>);
      yield* textPart(`after ${outcome}`, "Next.");
    }
    yield { type: "step-start", step: "denying" };
    yield { type: "tool-start", call: "denied call", name: "end_as_denied" };
    yield { type: "tool-input-end", call: "denied call", input: { path: "notes.txt" } };
    yield { type: "step-end", step: "denying", finish: "tools" };
    yield { type: "tool-end", call: "denied call", outcome: "denied" };
    yield { type: "step-start", step: "deferring" };
    yield { type: "text-start", part: "before deferred" };
    yield { type: "text-delta", part: "before deferred", delta: "And one for the client:" };
    yield { type: "text-end", part: "before deferred" };
    yield { type: "tool-start", call: "deferred call", name: "end_as_deferred", client: true };
    yield { type: "tool-input-end", call: "deferred call", input: { path: "here" } };
    yield { type: "step-end", step: "deferring", finish: "tools" };
    yield { type: "tool-end", call: "deferred call", outcome: "deferred" };
  },
  results: async function* () {
    for (const [name, end] of Object.entries(results)) {
      yield* answered(`result ${name}`, `give_${name}`, { query: name }, end as Partial<Event>);
      yield* textPart(`after ${name}`, "Next.");
    }
  },
  huge: () => answered("result huge", "give_huge", { query: "huge" }, results.huge as Partial<Event>),
  files: async function* (context) {
    const image = await context.put(new Uint8Array(PIXEL), { mediaType: "image/png", name: "pixel.png" });
    const html = await context.put("<h1>Chart</h1><script>document.title = 'ran'; parent.hacked = 1</script>", {
      mediaType: "text/html",
      name: "chart.html",
    });
    yield* answered("files call", "draw", { title: "A chart" }, {
      content: [
        { type: "file", ...image },
        { type: "file", ...html },
      ],
    } as Partial<Event>);
    const report = await context.put("# The report\n\nAll is **well**.\n", {
      mediaType: "text/markdown",
      name: "report.md",
    });
    yield {
      type: "file",
      name: "report.md",
      file: report.file,
      mediaType: "text/markdown",
      bytes: report.bytes,
      change: "created",
    };
    yield {
      type: "embed",
      embed: "e",
      title: "A clock",
      html: "<p id=p>Embedded</p><script>p.textContent += ' and alive'</script>",
    };
  },
  marks: async function* () {
    yield* textPart("cited", "Lantern is nearly ready.");
    yield {
      type: "citation",
      citation: "1",
      title: "Release notes",
      url: "https://lantern.example/notes",
      text: "Version 3 is nearly ready.",
      author: "Ines",
      published: "2026-01-31",
      accessed: "2026-02-01",
    };
    yield { type: "citation", citation: "2", title: "Test report", text: "409 of 412 tests pass." };
    for (const level of ["info", "success", "warning", "error"] as const)
      yield { type: "notice", level, text: `A notice: ${level}` };
    yield {
      type: "data",
      name: "todos",
      value: [
        { id: "1", text: "Read the notes", status: "done" },
        { id: "2", text: "Repair the tests", status: "active" },
        { id: "3", text: "Write the guide", status: "pending" },
        { id: "4", text: "Rewrite everything", status: "cancelled" },
      ],
    };
    yield { type: "data", name: "budget", value: { spent: 12, left: 88 } };
    yield { type: "data", name: "branch", value: "main" };
    yield { type: "data", name: "mode", value: "plan" };
    yield { type: "data", name: "nothing", value: [] };
  },
  fold: async function* () {
    for (let index = 0; index < 5; index++)
      yield* answered(
        `fold ${index}`,
        index % 2 ? "read_file" : "search",
        { query: `number ${index}` },
        index === 3 ? ({ outcome: "error", error: { code: "x", message: "It failed." } } as Partial<Event>) : {},
      );
    yield* textPart("folded", "Five tools ran.");
  },
  asks: async function* (context) {
    yield { type: "step-start", step: "asking" };
    for (const call of ["one", "two", "three", "four"]) {
      yield { type: "tool-start", call: `ask ${call}`, name: `ask_${call}` };
      yield { type: "tool-input-end", call: `ask ${call}`, input: { query: call, limit: 3 } };
    }
    yield { type: "step-end", step: "asking", finish: "tools" };
    yield {
      type: "ask-start",
      ask: "one",
      kind: "approval",
      call: "ask one",
      title: "May I search?",
      allows: ["edit", "always", "reason"],
      expires: Date.now() + 600_000,
    };
    for (const call of ["two", "three", "four"]) yield { type: "tool-execute", call: `ask ${call}` };
    yield {
      type: "ask-start",
      ask: "two",
      kind: "confirmation",
      call: "ask two",
      title: "Go on?",
      message: "This takes a while.",
    };
    yield {
      type: "ask-start",
      ask: "three",
      kind: "choice",
      call: "ask three",
      title: "Which one?",
      options: [
        { value: "a", label: "The first", description: "A good one." },
        { value: "b", label: "The second" },
      ],
    };
    yield {
      type: "ask-start",
      ask: "four",
      kind: "input",
      call: "ask four",
      title: "Who are you?",
      schema: {
        type: "object",
        required: ["name", "days"],
        properties: {
          name: { type: "string", title: "Your name" },
          age: { type: "integer", minimum: 1 },
          nice: { type: "boolean", title: "Are you nice?" },
          size: { enum: ["small", "large"] },
          days: { type: "array", title: "Days", items: { enum: ["Monday", "Tuesday"] }, minItems: 1 },
        },
      },
    };
    for (const call of ["one", "two", "three", "four"]) {
      const { answer } = await context.answerTo(call);
      if (call === "one" && answer?.allow)
        yield { type: "tool-execute", call: "ask one", ...(answer.input !== undefined && { input: answer.input }) };
      const outcome = answer?.allow === false && call === "one" ? "denied" : "ok";
      yield { type: "tool-end", call: `ask ${call}`, outcome, ...(outcome === "ok" && { value: answer as Json }) };
    }
    yield* textPart("asked", "Thank you.");
  },
  /** Three agents work until the second is stopped. */
  agents: async function* (context) {
    yield { type: "step-start", step: "sending out" };
    for (const id of ["a", "b", "c"]) {
      yield { type: "tool-start", call: `task ${id}`, name: "task" };
      yield { type: "tool-input-end", call: `task ${id}`, input: { task: `Look into ${id}` } };
    }
    yield { type: "step-end", step: "sending out", finish: "tools" };
    for (const id of ["a", "b", "c"]) {
      yield { type: "tool-execute", call: `task ${id}` };
      yield { type: "agent-start", agent: id, call: `task ${id}`, name: `helper ${id}`, task: `Look into ${id}` };
    }
    const { aborted } = context.signalOf("agent", "b");
    if (!aborted) await new Promise((resolve) => context.signalOf("agent", "b").addEventListener("abort", resolve));
    for (const id of ["b", "a", "c"]) {
      const isStopped = id === "b";
      yield { type: "agent-end", agent: id, outcome: isStopped ? "cancelled" : "done" };
      yield { type: "tool-end", call: `task ${id}`, outcome: isStopped ? "cancelled" : "ok" };
    }
  },
  /** Waits, with everything open, until it is stopped. */
  working: async function* (context) {
    yield { type: "step-start", step: "working" };
    yield { type: "thinking-start", part: "thought" };
    yield { type: "thinking-delta", part: "thought", delta: "First the **tests**, then the guide." };
    yield { type: "thinking-end", part: "thought" };
    yield { type: "tool-start", call: "building", name: "run_build", title: "Build" };
    yield { type: "tool-input-end", call: "building", input: { command: "make -j2 all", cwd: "/src" } };
    yield { type: "step-end", step: "working", finish: "tools" };
    yield { type: "tool-execute", call: "building" };
    yield { type: "tool-progress", call: "building", fraction: 0.4, note: "12 of 30 files" };
    yield {
      type: "tool-output-delta",
      call: "building",
      stream: "stdout",
      delta: "\u001b[32m✔\u001b[0m a.c\n\u001b[1mlinking\u001b[0m\n",
    };
    yield { type: "tool-output-delta", call: "building", stream: "stderr", delta: "warning: unused <b>variable</b>\n" };
    yield { type: "step-start", step: "writing on" };
    yield { type: "tool-start", call: "writing", name: "write_file" };
    yield {
      type: "tool-input-delta",
      call: "writing",
      delta: '{"path": "src/main.ts", "content": "const a = 1;\\nconst b',
    };
    await new Promise((resolve) => context.signal.addEventListener("abort", resolve));
  },
  fails: async function* () {
    yield* textPart("hopeful", "Let me see.");
    throw Object.assign(new Error("The provider is overloaded."), { code: "overloaded", retryable: true });
  },
};
