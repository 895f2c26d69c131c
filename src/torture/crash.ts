import type { Restart } from "./trial.ts";

/** One crash for several trials, so their runs recover at the same time. */
interface Crash {
  /** The crash as one trial sees it. Its `kill` resolves once every trial is ready for the crash, or has left. */
  join(): Restart & { leave(): void };
}

export const createCrash = (server: Restart): Crash => {
  const killed = Promise.withResolvers<void>();
  const expected = new Set<object>();
  const ready = new Set<object>();
  let started: Promise<void> | undefined;
  let isOver = false;

  const crash = (): void => {
    if (isOver || ready.size === 0 || expected.size > 0) return;
    isOver = true;
    server.kill().then(killed.resolve, killed.reject);
  };
  return {
    join: () => {
      const trial = {};
      expected.add(trial);
      return {
        kill: () => {
          expected.delete(trial);
          ready.add(trial);
          crash();
          return killed.promise;
        },
        start: () => (started ??= server.start()),
        leave: () => {
          expected.delete(trial);
          crash();
        },
      };
    },
  };
};
