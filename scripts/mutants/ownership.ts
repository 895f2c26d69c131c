import type { Mutant } from "./broken-promises.ts";

const tests = ["test/ownership.test.ts"];

/** Promises about runs that outlive their process. */
export const ownership: readonly Mutant[] = [
  {
    breaks: "a run has one owner: a living owner's lease is ignored",
    file: "src/log/leases.ts",
    edits: [["owner === undefined || !isAlive(owner)", "owner === undefined || isAlive(owner) || true"]],
    tests,
  },
  {
    breaks: "a run has one owner: a living run in Redis is taken over",
    file: "src/logs/redis/runs.ts",
    edits: [["&& (await owners.isAlive(seen.owner))) return undefined;", "&& false) return undefined;"]],
    tests: ["test/contracts/log-owners.test.ts"],
    named: "a run with a live owner cannot be taken over",
  },
  {
    breaks: "a run has one owner: recover takes the runs of living processes",
    file: "src/logs/memory.ts",
    edits: [
      ["leases.mayTake(info, owner)", "info.endedAt === undefined"],
      ["leases.isOrphan(info)", "info.endedAt === undefined"],
    ],
    tests,
  },
  {
    breaks: "every view is a function of the log: an owner that was paused and replaced shows its old entries",
    file: "src/log/tails.ts",
    edits: [[" || knownLeases.termOf(tail.owner) !== tail.term", ""]],
    tests: ["test/log-trouble.test.ts"],
    named: "are not shown after a gap in its lease",
  },
  {
    breaks: "a replaced owner writes nothing: the epoch is not checked",
    file: "src/log/run-info.ts",
    edits: [["  if (info) checkWriter(info, as);\n", ""]],
    tests: ["test/contracts/log-owners.test.ts"],
    named: "can be taken over, and the old owner cannot write anymore",
  },
  {
    breaks: "a replaced owner runs nothing: a paused process does not ask whether it was replaced",
    file: "src/runner/run-context.ts",
    edits: [["    await claim();\n", ""]],
    tests: ["test/claim.test.ts"],
  },
  {
    breaks: "a replaced owner runs nothing: a tool runs before its tool-execute is stored",
    file: "src/sources/agent/call.ts",
    edits: [["  await run.context.stored();\n", ""]],
    tests,
  },
  {
    breaks: "acknowledged writes survive: an answer is acknowledged before it is stored",
    file: "src/runner/active-run.ts",
    edits: [['if (result !== "unknown") await this.#writer.flushed();', ""]],
    tests,
  },
  {
    breaks: "acknowledged writes survive: a cancel in another process is acknowledged before the log shows it",
    file: "src/runner/remote.ts",
    edits: [
      [
        'await untilShown(log, run, after, look, sent === "ended" ? 0 : waitMs)',
        'await untilShown(log, run, 0, (event) => look(event) ?? ("cancelled" as never), 0)',
      ],
    ],
    tests,
  },
  {
    breaks: "no finished call runs again: one that finished next to an interrupted call runs again",
    file: "src/sources/agent/continue.ts",
    edits: [['if (end && (end.outcome !== "interrupted" || !isLast))', "if (end && !isLast)"]],
    tests: ["test/takeover.test.ts"],
  },
  {
    breaks: "no unrepeatable call runs twice: every interrupted call runs again",
    file: "src/sources/agent/continue.ts",
    edits: [["worker.tools.get(start.name)?.tool.repeatable === true", "true"]],
    tests: ["test/takeover.test.ts"],
  },
  {
    breaks: "a run is handed over at a safe point: it is handed over in the middle of a call",
    file: "src/runner/hand-over.ts",
    edits: [["closeForResume(root).length === 0", "closeForResume(root).length >= 0"]],
    tests: ["test/hand-over.test.ts"],
  },
];
