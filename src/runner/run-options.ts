import type { Ownership } from "../log.ts";
import type { RunnableAgent, RunnerOptions } from "../runner.ts";
import type { RunRequest } from "../source.ts";
import type { Flusher } from "./flusher.ts";
import type { Lease } from "./lease.ts";
import type { Takeover } from "./resume.ts";

/** What a run at work in this process is made of. */
export interface RunOptions extends RunnerOptions {
  readonly run: string;
  readonly request: RunRequest;
  readonly agent: RunnableAgent;
  readonly flusher: Flusher;
  readonly lease: Pick<Lease, "term" | "renew">;
  /** As whom the run is written. */
  readonly as: Ownership;
  /** For a run that this process takes over. */
  readonly takeover?: Takeover;
}
