/** Process groups that must not outlive this process. */
const guarded = new Set<number>();

const killAll = (): void => {
  for (const pid of guarded) {
    try {
      process.kill(-pid, "SIGKILL");
    } catch {
      // It has already exited.
    }
  }
};

/** Kills the group when this process exits, until it is released. If this process is killed, the next one does it: `left-behind.ts`. */
export const guardExit = (pid: number): (() => void) => {
  if (guarded.size === 0) process.once("exit", killAll);
  guarded.add(pid);
  return () => {
    if (guarded.delete(pid) && guarded.size === 0) process.off("exit", killAll);
  };
};
