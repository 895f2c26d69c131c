import { execFile } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { promisify } from "node:util";

/** A number alone may be given to another process meanwhile; with the time it began it cannot. */
interface Found {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly began: string;
  readonly isDead: boolean;
}

export interface ProcessTree {
  /** Ends every process of the tree: asks first, then forces. Resolves when none is left, or when it has tried for long enough. */
  kill(): Promise<void>;
}

const GRACE_MS = 300;
const ROUND_MS = 40;
const ROUNDS = 25;

/**
 * All processes that one command has started. A process belongs to it if it is in its group, or below a process that belongs to it,
 * or (on Linux) if its environment carries the mark, also after it left the group and its parents have ended.
 *
 * What escapes: a process that left the group, cleared its environment and whose parent had ended before anybody looked. Elsewhere than on
 * Linux an environment cannot be seen, so there leaving the group and losing the parent is enough.
 */
export const createProcessTree = (pid: number, mark: string): ProcessTree => {
  const known = new Map<number, string>();

  const look = async (): Promise<readonly Found[]> => {
    const all = (await list()).filter((one) => !one.isDead && one.pid !== process.pid);
    if (all.length === 0) return blind();
    const isOurs = (one: Found): boolean =>
      one.group === pid || known.get(one.pid) === one.began || carries(one.pid, mark);
    const ours = new Set(all.filter(isOurs));
    for (let size = -1; size !== ours.size;) {
      size = ours.size;
      const pids = new Set([...ours].map((one) => one.pid)).add(pid);
      for (const one of all) if (pids.has(one.parent)) ours.add(one);
    }
    for (const one of ours) known.set(one.pid, one.began);
    return [...ours];
  };

  /** Where processes cannot be listed, only the group is known. */
  const blind = (): readonly Found[] =>
    send(-pid, 0) ? [{ pid, parent: 0, group: pid, began: "", isDead: false }] : [];

  const signalAll = async (signal: NodeJS.Signals): Promise<number> => {
    const found = await look();
    // The group at once, so that none of it sees its parent die first; then who left it.
    if (found.some((one) => one.group === pid)) send(-pid, signal);
    for (const one of found) if (one.group !== pid) send(one.pid, signal);
    return found.length;
  };

  return {
    async kill() {
      const until = Date.now() + GRACE_MS;
      for (let left = await signalAll("SIGTERM"); left > 0 && Date.now() < until; left = (await look()).length) {
        await wait(ROUND_MS);
      }
      // Again until nothing is left: what was forked while we looked is found by the next look.
      for (let round = 0; round < ROUNDS && (await signalAll("SIGKILL")) > 0; round++) await wait(ROUND_MS);
    },
  };
};

/** False: it has ended by itself. */
const send = (pid: number, signal: NodeJS.Signals | 0): boolean => {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
};

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const list = async (): Promise<readonly Found[]> => {
  try {
    return process.platform === "linux" ? listProc() : await listPs();
  } catch {
    return [];
  }
};

const listProc = (): readonly Found[] =>
  readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      // The name stands in parentheses and may contain anything, parentheses too.
      const stat = readFileSync(`/proc/${name}/stat`, "latin1");
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      const [state, parent, group] = fields;
      const isDead = state === "Z" || state === "X";
      return [{ pid: Number(name), parent: Number(parent), group: Number(group), began: fields[19]!, isDead }];
    } catch {
      return [];
    }
  });

const listPs = async (): Promise<readonly Found[]> => {
  const { stdout } = await promisify(execFile)("ps", ["-A", "-o", "pid=,ppid=,pgid=,stat=,lstart="]);
  return stdout.split("\n").flatMap((line) => {
    const [pid, parent, group, state, ...began] = line.trim().split(/\s+/);
    if (!pid || !state) return [];
    const isDead = state.startsWith("Z");
    return [{ pid: Number(pid), parent: Number(parent), group: Number(group), began: began.join(" "), isDead }];
  });
};

const carries = (pid: number, mark: string): boolean => {
  if (process.platform !== "linux") return false;
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1").includes(mark);
  } catch {
    return false;
  }
};
