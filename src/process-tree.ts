import { execFile } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { promisify } from "node:util";

/** A PID can be reused. Together with its start time it is unique. */
interface Found {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly began: string;
  readonly isDead: boolean;
}

export interface ProcessTree {
  /** Ends every process of the tree: SIGTERM first, then SIGKILL. Resolves when none is left, or after a bounded number of attempts. */
  kill(): Promise<void>;
}

const GRACE_MS = 300;
const ROUND_MS = 40;
const ROUNDS = 25;

/**
 * All processes started by one command. A process belongs to it if it is in its group, or is a descendant of a process
 * that does, or (on Linux) if its environment contains the mark, even after it left the group and its parents have ended.
 *
 * What escapes: a process that left the group and cleared its environment, and whose parent ended before the tree was
 * scanned. On other systems the environment cannot be read, so leaving the group and losing the parent is enough.
 */
export const createProcessTree = (pid: number, mark: string): ProcessTree => {
  const known = new Map<number, string>();

  const look = async (): Promise<readonly Found[]> => {
    const all = (await list()).filter((one) => !one.isDead && one.pid !== process.pid);
    if (all.length === 0) return groupOnly();
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

  /** If processes cannot be listed, only the group is known. */
  const groupOnly = (): readonly Found[] =>
    send(-pid, 0) ? [{ pid, parent: 0, group: pid, began: "", isDead: false }] : [];

  const signalAll = async (signal: NodeJS.Signals): Promise<number> => {
    const found = await look();
    // Signal the whole group in one call, so no member sees its parent die first. Then signal those that left it.
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
      // Repeat until nothing is left: processes forked during a scan are found by the next one.
      for (let round = 0; round < ROUNDS && (await signalAll("SIGKILL")) > 0; round++) await wait(ROUND_MS);
    },
  };
};

/** Returns false if the process has already ended. */
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
      // The name is in parentheses and may contain any character, including parentheses.
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
