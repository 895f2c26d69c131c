import { appendFileSync, existsSync, readFileSync } from "node:fs";
import type { Entry } from "../../src/events.ts";
import { type Log, LogFenced } from "../../src/log.ts";

/** Facts that processes write to a file that outlives them. `at` is the machine's uptime, which clock changes do not affect. */
export type TallyEntry = { readonly pid: number; readonly at: number } & Fact;

type Fact =
  | {
      readonly do: "begin" | "end";
      readonly run: string;
      readonly call: string;
      readonly tool: string;
      readonly key: string;
    }
  | { readonly do: "owner"; readonly owner: string }
  /** `start`: run-start is stored. `take`: the run was taken over. `resume`: run-resume is stored. */
  | { readonly do: "start" | "take" | "resume"; readonly run: string; readonly owner: string }
  | { readonly do: "fenced"; readonly run: string };

export type Tally = (fact: Fact) => void;

export const uptime = (): number => Number(process.hrtime.bigint() / 1_000_000n);

/** Each line is one small append, so that lines of several processes do not mix. */
export const createTally =
  (file: string): Tally =>
  (fact) =>
    appendFileSync(file, `${JSON.stringify({ ...fact, pid: process.pid, at: uptime() })}\n`);

export const readTally = (file: string): TallyEntry[] =>
  existsSync(file)
    ? readFileSync(file, "utf8")
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as TallyEntry)
    : [];

/** The same log, which also records ownership and rejected writes. */
export const talliedLog = (log: Log, tally: Tally): Log => {
  const owners = new Set<string>();
  const note = (run: string, entries: readonly Entry[], owner: string | undefined) => {
    if (owner === undefined) return;
    if (entries[0]?.seq === 1) tally({ do: "start", run, owner });
    if (entries.some(({ event }) => event.type === "run-resume")) tally({ do: "resume", run, owner });
  };
  return {
    ...log,
    append(run, entries, as) {
      const stored = log.append(run, entries, as);
      if (!stored) return note(run, entries, as?.owner);
      return stored.then(
        () => note(run, entries, as?.owner),
        (error: unknown) => {
          if (error instanceof LogFenced) tally({ do: "fenced", run });
          throw error;
        },
      );
    },
    async takeOver(run, owner) {
      const taken = await log.takeOver(run, owner);
      if (taken) tally({ do: "take", run, owner });
      return taken;
    },
    heartbeat(owner, leaseMs) {
      if (!owners.has(owner)) tally({ do: "owner", owner });
      owners.add(owner);
      return log.heartbeat(owner, leaseMs);
    },
  };
};
