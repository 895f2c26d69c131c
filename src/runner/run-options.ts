import type { Ownership } from "../log.ts";
import type { RunnableAgent, RunnerOptions } from "../runner.ts";
import type { RunRequest } from "../source.ts";
import type { Flusher } from "./flusher.ts";
import type { Lease } from "./lease.ts";
import type { Takeover } from "./resume.ts";

/** The options of a run that is active in this process. */
export interface RunOptions extends RunnerOptions {
  readonly run: string;
  readonly request: RunRequest;
  readonly agent: RunnableAgent;
  readonly flusher: Flusher;
  readonly lease: Pick<Lease, "term" | "renew">;
  /** The ownership to write the run with. */
  readonly as: Ownership;
  /** Set if this process takes the run over. */
  readonly takeover?: Takeover;
}
