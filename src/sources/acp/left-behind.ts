import { readdirSync, readFileSync, readlinkSync } from "node:fs";

const NAME = "RUNCAST_OWNER";

/** When a process began, in ticks since the machine started. Undefined if it has ended. */
const beginOf = (pid: number | "self"): string | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" || fields[0] === "X" ? undefined : fields[19];
  } catch {
    return undefined;
  }
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
  const [space, began] = [namespace(), beginOf("self")];
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
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const [, owner, began] = owned.exec(readFileSync(`/proc/${name}/environ`, "latin1")) ?? [];
      if (owner !== undefined && beginOf(Number(owner)) !== began) process.kill(Number(name), "SIGKILL");
    } catch {
      // It has ended, or belongs to another user.
    }
  }
};
