import { flat } from "./flat.ts";
import { guards } from "./guards.ts";
import { ownership } from "./ownership.ts";
import { torture } from "./torture.ts";

/** A promise, and an edit of the source that breaks it. At least one of the tests must fail. */
export interface Mutant {
  readonly breaks: string;
  readonly file: string;
  readonly edits: readonly (readonly [find: string, replace: string])[];
  readonly tests: readonly string[];
  /** Runs only tests whose name matches this. */
  readonly named?: string;
  /** Whether its tests measure time, so that nothing may run at the same time. */
  readonly alone?: boolean;
}

export const mutants: readonly Mutant[] = [
  {
    breaks: "stored before delivered: the log shows entries before they are committed",
    file: "src/logs/sqlite/journal.ts",
    edits: [
      [
        "      if (chunk) extendTail(tail, chunk);\n      tail.info = after;\n    }\n    if (!spill",
        "      void chunk;\n      void tail;\n      void after;\n    }\n    if (!spill",
      ],
      [
        "        tail.promised = after;\n",
        "        tail.promised = after;\n        extendTail(tail, chunk);\n        tail.info = after;\n        queueMicrotask(() => wake(run));\n",
      ],
    ],
    tests: ["test/contracts/log.test.ts", "test/slow/sqlite.test.ts"],
    alone: true,
  },
  {
    breaks: "no silent gap: the client continues after missing entries",
    file: "src/client/run-handle.ts",
    edits: [
      [
        "if (seq !== state.seq + 1)\n      throw new BadFrame(`entry ${id} arrived after ${state.seq}: the entries in between are missing`);",
        "if (seq !== state.seq + 1) state.seq = seq - 1;",
      ],
    ],
    tests: ["test/client.test.ts"],
  },
  {
    breaks: "only run-end ends a run: the client treats the end of the stream as the end of the run",
    file: "src/client/follower.ts",
    edits: [
      [
        'if (!chunks) return cut("cut", "the stream ended before the run did");',
        'if (!chunks) {\n        options.onEmpty();\n        return cut("cut", "the stream ended");\n      }',
      ],
    ],
    tests: ["test/client.test.ts"],
  },
  {
    breaks: "a viewer that disconnects is released: the server waits only for drain",
    file: "src/server/chunked.ts",
    edits: [['    response.on("close", () => this.#close());\n', ""]],
    tests: ["test/stream.test.ts"],
    named: "closing the connection stops a run",
  },
  {
    breaks: "entries are identified by number: the client drops an entry that looks like the previous one",
    file: "src/client/run-handle.ts",
    edits: [
      [
        "    const seq = Number(id);\n",
        '    const seq = Number(id);\n    const isAgain = data.replace(/"at":\\d+/, "") === lastData;\n    lastData = data.replace(/"at":\\d+/, "");\n    if (isAgain) {\n      state.seq = seq;\n      return true;\n    }\n',
      ],
      ["  const isFromSnapshot =", '  let lastData = "";\n  const isFromSnapshot ='],
    ],
    tests: ["test/client.test.ts"],
  },
  {
    breaks: "everyone gets the same frames: a span is sent while more of its entries may arrive",
    file: "src/server/releases.ts",
    edits: [["const GRACE_MS = 100;", "const GRACE_MS = -30;"]],
    tests: ["test/slow/window.test.ts"],
    alone: true,
  },
  {
    breaks: "a cursor within a span splits it: a client that resumes there gets the whole span again",
    file: "src/server/viewer.ts",
    edits: [["let stop = this.#fed < seq ? seq : 0;", "let stop = 0;"]],
    tests: ["test/slow/window.test.ts"],
    alone: true,
  },
  {
    breaks: "a run starts once: the id that makes a retry safe changes with each attempt",
    file: "src/sources/http/connection.ts",
    edits: [
      [
        "remote.send(start, connection)",
        "remote.send({ ...start, request: { ...start.request, run: `via-${crypto.randomUUID()}` } }, connection)",
      ],
    ],
    tests: ["test/http-source.test.ts"],
  },
  ...guards,
  ...ownership,
  ...torture,
  ...flat,
  {
    breaks: "true: a failed call looks green",
    file: "src/view/badge.ts",
    edits: [['error: ["failed", "bad"],', 'error: ["failed", "good"],']],
    tests: ["test/view/facts.test.ts"],
  },
  {
    breaks: "true: a failed call is painted green on the page",
    file: "web/src/run/state-mark.tsx",
    edits: [['bad: "text-bad",', 'bad: "text-ok",']],
    tests: ["test/contracts/views.test.ts"],
    named: "after every entry of failing-tool",
  },
  {
    breaks: "true: a failed call is painted green in the element",
    file: "src/element/sheet.ts",
    edits: [
      ['[data-tone="bad"] > .mark { color: var(--run-bad); }', '[data-tone="bad"] > .mark { color: var(--run-ok); }'],
    ],
    tests: ["test/contracts/views.test.ts"],
    named: "after every entry of failing-tool",
  },
  {
    breaks: "true: a spinner outlives its call",
    file: "src/view/call.ts",
    edits: [
      ["badge: badgeOf(call.state),", 'badge: badgeOf(call.executedAt === undefined ? call.state : "executing"),'],
    ],
    tests: ["test/view/facts.test.ts"],
  },
  {
    breaks: "true: a spinner outlives its call only in the element",
    file: "src/element/call-view.ts",
    edits: [['if (element.dataset["state"] !== facts.badge.state) {', "if (!facts.isOver) {"]],
    tests: ["test/contracts/views.test.ts"],
    named: "after every entry of failing-tool",
  },
  {
    breaks: "true: a latency is invented for a call that was interrupted",
    file: "src/view/time.ts",
    edits: [
      ['if (executedAt === undefined || state === "interrupted") return', "if (executedAt === undefined) return"],
    ],
    tests: ["test/view/facts.test.ts"],
  },
  {
    breaks: "true: a latency is invented for a call that never ran",
    file: "src/view/time.ts",
    edits: [
      [
        "({ ms, executedAt, endedAt, state }: CallNode)",
        "({ ms, executedAt: ran, startedAt, endedAt, state }: CallNode)",
      ],
      ["  if (executedAt === undefined || state", "  const executedAt = ran ?? startedAt;\n  if (state"],
    ],
    tests: ["test/view/facts.test.ts"],
  },
  {
    breaks: "true: a latency is invented for a step that was interrupted",
    file: "src/view/time.ts",
    edits: [['  if (finish === "interrupted") return undefined;\n', ""]],
    tests: ["test/view/calls.test.ts"],
    named: "shows how each step ended",
  },
  {
    breaks: "true: a truncated answer looks complete",
    file: "src/view/agent.ts",
    edits: [['outcome === "done" ? cutOf(finish) : undefined', "undefined as End | undefined"]],
    tests: ["test/view/facts.test.ts"],
  },
  {
    breaks: "true: a truncated answer looks complete to clients of other protocols",
    file: "src/dialects/frames/incomplete.ts",
    edits: [["return incompleteOf(finish);", "return undefined;"]],
    tests: ["test/dialects/incomplete.test.ts"],
  },
  {
    breaks: "true: the terminal shows a different word than the page and the element",
    file: "src/cli/call-lines.ts",
    edits: [['[["dim", `  ${badge.word}${took', '[["dim", `  ${badge.state}${took']],
    tests: ["test/contracts/views.test.ts"],
    named: "after every entry of failing-tool",
  },
  {
    breaks: "true: a view computes how a call ended instead of using the badge",
    file: "web/src/run/call-card.tsx",
    edits: [["data-call={badge.state}", 'data-call={call.endedAt === undefined ? "executing" : "ok"}']],
    tests: ["test/laws/views.test.ts"],
  },
];
