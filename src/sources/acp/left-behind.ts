import { readdirSync, readFileSync, readlinkSync } from "node:fs";

const NAME = "RUNCAST_OWNER";

/** What Linux shows of a process: its parent, and when it began, in ticks since the machine started. Undefined if it has ended. */
const statOf = (pid: number | "self"): { readonly parent: number; readonly began: string } | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const [state, parent, ...rest] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return state === "Z" || state === "X" ? undefined : { parent: Number(parent), began: rest[17]! };
  } catch {
    return undefined;
  }
};

/** This process and those that started it, such as a shell, which may be left from an earlier server themselves. */
const ownAncestry = (): ReadonlySet<number> => {
  const ancestry = new Set<number>();
  for (let pid: number | undefined = process.pid; pid && !ancestry.has(pid); pid = statOf(pid)?.parent)
    ancestry.add(pid);
  return ancestry;
};

/** The namespace of process ids: a container's ids mean nothing outside of it. */
const namespace = (): string | undefined => {
  try {
    return /\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0];
  } catch {
    return undefined;
  }
};

/** An environment variable that names this process, for all that an agent starts. Nothing where there is no `/proc`. */
export const ownerVariable = (): Readonly<Record<string, string>> => {
  const [space, began] = [namespace(), statOf("self")?.began];
  return space === undefined || began === undefined ? {} : { [NAME]: `${space}-${process.pid}-${began}` };
};

/**
 * Ends what the agents of a killed process have left running, such as commands. A process that exits ends them itself.
 * Only Linux shows the environment of processes.
 */
export const endLeftBehind = (): void => {
  const space = namespace();
  if (space === undefined) return;
  const owned = new RegExp(`(?:^|\\0)${NAME}=${space}-(\\d+)-(\\d+)\\0`);
  const ancestry = ownAncestry();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name) || ancestry.has(Number(name))) continue;
    try {
      const [, owner, began] = owned.exec(readFileSync(`/proc/${name}/environ`, "latin1")) ?? [];
      if (owner !== undefined && statOf(Number(owner))?.began !== began) process.kill(Number(name), "SIGKILL");
    } catch {
      // It has ended, or belongs to another user.
    }
  }
};
