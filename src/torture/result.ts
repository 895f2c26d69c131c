import type { Exchange } from "./line.ts";
import type { Finding } from "./trial.ts";

export interface Result extends Finding {
  readonly trial: string;
  readonly shows: string;
  /** Repeats the trial: `--only <trial> --seed <seed>`. */
  readonly seed: number;
  readonly ms: number;
  /** The last requests and responses. Only for a "no". */
  readonly evidence?: readonly Exchange[];
  readonly output?: string;
}
