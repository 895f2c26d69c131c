import type { Waiting } from "./dialect.ts";
import type { Answer, Entry, EventOf } from "./events.ts";
import type { Log } from "./log.ts";
import type { RunRequest, Source } from "./source.ts";

/**
 * Wraps every source: numbers its events, checks them, renames repeated ids, closes from the inside out what is left open,
 * and writes the one run-start and the one run-end. Nothing is visible before the log has stored it.
 */
export interface Runner {
  /**
   * Resolves when run-start is stored. A run id that exists already starts nothing (`started: false`), however often and
   * however concurrently it is posted. Rejects with a Refusal if the source throws before its first event.
   */
  start(request: RunRequest, agent: RunnableAgent): Promise<{ readonly run: string; readonly started: boolean }>;
  /** Idempotent. Resolves when the cancel is stored: the run (or the one call or sub-agent) has ended. */
  cancel(run: string, target?: CancelTarget): Promise<"cancelled" | "ended" | "unknown">;
  /** First answer wins; the same again is `same`, another `conflict`; an ask that expired or was cancelled is `closed`. */
  answer(
    run: string,
    ask: string,
    answer: Answer,
    by?: string,
  ): Promise<"accepted" | "same" | "conflict" | "closed" | "unknown">;
  /** Undefined unless the run is active in this process. */
  waiting(run: string): Waiting | undefined;
  readonly active: number;
  /** Closes as `interrupted` the runs of an earlier process that were cut by a crash. Answers how many. */
  recover(): Promise<number>;
  /** Interrupts what still runs and waits until that is stored. */
  close(): Promise<void>;
}

export interface RunnableAgent {
  readonly name: string;
  readonly model?: string;
  readonly source: Source;
}

export interface CancelTarget {
  readonly agent?: string;
  readonly call?: string;
  readonly by?: string;
  readonly reason?: string;
}

export interface RunnerOptions {
  readonly log: Log;
  /** Called once for each run that ended, after its run-end is stored; never awaited, and what it throws is only reported. */
  readonly onEnd?: (ended: EndedRun) => unknown;
  readonly onEndError?: (error: unknown) => void;
  /** Ends the run with the error `timeout`. Default: none. */
  readonly timeoutMs?: number;
  /** Ends the run with the error `too-large`. Default: 256 MB. */
  readonly maxBytes?: number;
  /** How long a cancelled source may take to stop before it is left behind. Default: 5 s. */
  readonly graceMs?: number;
}

export interface EndedRun {
  readonly run: string;
  readonly request: RunRequest;
  readonly end: EventOf<"run-end">;
  /** The whole log of the run, read when asked for. */
  entries(): AsyncIterable<readonly Entry[]>;
}
