import type { Control, Log } from "../log.ts";
import type { ActiveRun } from "./active-run.ts";

type Controlled = Pick<ActiveRun, "cancel" | "answer">;

/** Executes the controls that other processes send to the runs active here. Reads a run's queue when the log signals a new control. */
export interface Controls {
  /** Reads a run's queue from the last position, or from the start for a run that was just taken over. */
  read(run: string): void;
  /** The run is ready: reads its queue if a control arrived earlier. */
  ready(run: string): void;
  forget(run: string): void;
  close(): void;
}

const PAGE = 64;

export const createControls = (
  log: Log,
  active: ReadonlyMap<string, Controlled>,
  isReady: (running: Controlled) => boolean,
  onProblem: (error: unknown) => void,
): Controls => {
  const positions = new Map<string, number>();
  const reading = new Map<string, { again: boolean }>();
  /** Runs that were not ready when a control arrived. */
  const early = new Set<string>();

  const act = (running: Controlled, control: Control): void => {
    // The sender finds the result in the log.
    const acting =
      control.kind === "cancel" ? running.cancel(control) : running.answer(control.ask, control.answer, control.by);
    acting.catch(onProblem);
  };

  const readAll = async (run: string): Promise<void> => {
    for (;;) {
      const running = active.get(run);
      if (!running) return;
      const queued = await log.controls(run, positions.get(run) ?? 0, PAGE);
      // A run that was lost and taken over in the meantime has its queue read again from the start.
      if (active.get(run) !== running) continue;
      if (!queued.length) return;
      if (!isReady(running)) return void early.add(run);
      for (const { number, control } of queued) {
        positions.set(run, number);
        act(running, control);
      }
    }
  };

  const read = async (run: string): Promise<void> => {
    const earlier = reading.get(run);
    if (earlier) return void (earlier.again = true);
    const now = { again: false };
    reading.set(run, now);
    try {
      do {
        now.again = false;
        await readAll(run);
      } while (now.again);
    } catch (error) {
      onProblem(error);
    } finally {
      reading.delete(run);
    }
  };

  const stop = log.watchControls((run) => {
    if (run === undefined) for (const each of active.keys()) void read(each);
    else if (active.has(run)) void read(run);
  });

  return {
    read: (run) => void read(run),
    ready(run) {
      if (early.delete(run)) void read(run);
    },
    forget(run) {
      positions.delete(run);
      early.delete(run);
    },
    close: stop,
  };
};
