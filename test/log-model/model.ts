import type fc from "fast-check";
import type { Entry, Json } from "../../src/events.ts";
import type { Control, Log, Ownership } from "../../src/log.ts";
import type { LogVariant } from "../contracts/log-variants.ts";

/** The reference model for all logs: plain arrays. */
export interface Model {
  readonly runs: Map<string, ModelRun>;
  /** When each owner's lease and each record expires, by a clock that the test moves. */
  readonly leases: Map<string, number>;
  readonly records: Map<string, { readonly value: Json; readonly until: number }>;
  time: number;
}

export interface ModelRun {
  readonly run: string;
  readonly entries: Entry[];
  readonly files: string[];
  dropped: boolean;
  owner: string | undefined;
  epoch: number;
  controls: Control[];
}

export interface Real {
  log: Log;
  readonly variant: LogVariant;
  readonly reopen: () => Promise<void>;
}

export type Operation = fc.AsyncCommand<Model, Real>;

export const operation = (name: string, run: Operation["run"]): Operation => ({
  check: () => true,
  run,
  toString: () => name,
});

export const emptyModel = (): Model => ({ runs: new Map(), leases: new Map(), records: new Map(), time: 0 });

/** The result of a call, or the error that it throws or rejects with. */
export const attempt = (work: () => unknown) => (async () => work())().catch((error: unknown) => error);

export const endOf = (entries: readonly Entry[]) => entries.find(({ event }) => event.type === "run-end")?.at;
export const isOpen = ({ entries, dropped }: ModelRun) => !dropped && endOf(entries) === undefined;

/** The owner that can currently write the run. None for a released run. */
export const writerOf = ({ owner, epoch }: ModelRun): Ownership | undefined =>
  epoch === 0 ? undefined : { owner: owner ?? "nobody", epoch };
export const canWrite = ({ owner, epoch }: ModelRun) => epoch === 0 || owner !== undefined;

export const newRun = (run: string, owner: string | undefined): ModelRun => ({
  run,
  entries: [],
  files: [],
  dropped: false,
  owner,
  epoch: owner === undefined ? 0 : 1,
  controls: [],
});
