import type { Mutant } from "./broken-promises.ts";

/** One mutant for each trial of the torture kit, to show that the trial can fail. */
const breaking = (
  trial: string,
  breaks: string,
  file: string,
  ...edits: readonly (readonly [find: string, replace: string])[]
): Mutant => ({
  breaks: `torture ${trial}: ${breaks}`,
  file,
  edits,
  tests: ["test/slow/torture-trials.test.ts"],
  named: `trial ${trial}$`,
});

const stopsWithoutPage: readonly [string, string] = [
  'disconnect: "continue",\n  asks: "inline"',
  'disconnect: "cancel",\n  asks: "inline"',
];

export const torture: readonly Mutant[] = [
  breaking("cut-anywhere", "a client that resumes gets everything again", "src/dialects/native.ts", [
    'headers.get("last-event-id") || query',
    "query",
  ]),
  breaking("cut-before-head", "a repeated request starts a second run", "src/dialects/native.ts", [
    "    ...rest,\n    messages: messages ??",
    "    ...rest,\n    run: crypto.randomUUID(),\n    messages: messages ??",
  ]),
  breaking("two-viewers", "a second page misses the beginning", "src/dialects/native.ts", [
    'query.get("after") || "0"',
    'query.get("after") || "9"',
  ]),
  breaking("late-viewer", "an ended run is not shown", "src/server/commands.ts", [
    "const ended = info.endedAt !== undefined && after.seq === info.seq;",
    "const ended = info.endedAt !== undefined;",
  ]),
  breaking("slow-viewer", "a slow reader gets no more frames", "src/server/chunked.ts", [
    '    if (!taken) (socket ?? this.#response).once("drain", () => this.#closed || this.#owner.drained());\n',
    "",
  ]),
  breaking("cancel-not-disconnect", "a closed page stops the run", "src/dialects/native.ts", stopsWithoutPage),
  breaking("parallel-tools", "calls run one at a time", "src/sources/agent/definition.ts", [
    "maxParallelCalls = 32",
    "maxParallelCalls = 1",
  ]),
  breaking("failing-tool", "a failed call looks like a success", "src/sources/agent/call.ts", [
    '? "cancelled" : "error" };',
    '? "cancelled" : "ok" };',
  ]),
  breaking("parallel-agents", "a sub-agent's text is shown as the agent's", "src/sources/agent/subagent.ts", [
    "  const emit = emitter(run.queue, agent);\n  const stop",
    "  const emit = emitter(run.queue, undefined);\n  const stop",
  ]),
  breaking("approval", "the user is not asked", "src/sources/agent/approval.ts", [
    'if (needed === "never" ||',
    'if (needed !== "never" ||',
  ]),
  breaking("approval-after-reload", "an approval closes with its page", "src/dialects/native.ts", stopsWithoutPage),
  breaking("many-tokens", "a long answer ends early", "src/sources/agent/answer.ts", [
    "    found.message.text += delta;\n",
    "    found.message.text += delta;\n    if (found.message.text.length > 10_000) return;\n",
  ]),
  breaking("silent-minute", "a silent stream looks dead", "src/dialects/native.ts", [
    "const HEARTBEAT_MS = 15_000;",
    "const HEARTBEAT_MS = 150_000;",
  ]),
  breaking("huge-result", "a large result is truncated", "src/runner/spill.ts", [
    "const bytes = encode(part.text);",
    "const bytes = encode(part.text.slice(0, 100_000));",
  ]),
  breaking("hostile-text", "a line separator becomes a space", "src/server/chunked.ts", [
    ": lineSafe(text);",
    ': text.replaceAll("\\u2028", " ");',
  ]),
  breaking("unknown-agent", "another agent answers", "src/server/agents.ts", [
    "Object.hasOwn(agents, name) ? agents[name] : undefined",
    "agents[name] ?? Object.values(agents)[0]",
  ]),
  breaking("bad-body", "a malformed body is a server error", "src/server/body.ts", [
    'throw new Refusal("bad-json", `the body is not JSON: ${messageOf(error)}`, { hint: "send valid JSON" });',
    "void messageOf;\n    throw error;",
  ]),
  breaking("server-killed", "a run ends with its process", "src/runner/takeovers.ts", [
    "if (!agent?.source.resume) return",
    "if (!agent?.source.resume || agent) return",
  ]),
  breaking("approval-after-restart", "an approval ends with its process", "src/runner/close.ts", [
    'const isExecuting = call.phase === "executing";',
    "const isExecuting = true;",
  ]),
];
