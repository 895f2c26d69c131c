import { readdirSync } from "node:fs";
import path from "node:path";
import { Worker } from "node:worker_threads";
import { sourceFuzz } from "./source-fuzz.ts";

export interface FuzzReport {
  readonly target: string;
  readonly seed: number;
  readonly cases: number;
  /** The failure with the seed of its case. Undefined if there was none. */
  readonly failure?: string;
}

/** The fuzzing targets: the reader of event streams, the decoders of sources, and every dialect's decoder. */
export const fuzzTargets: readonly string[] = [
  "sse",
  ...Object.keys(sourceFuzz),
  ...readdirSync(path.join(import.meta.dirname, "../src/dialects"))
    .filter((file) => file.endsWith(".ts"))
    .map((file) => file.slice(0, -".ts".length)),
];

/** Longer than any case takes. A decoder that hangs cannot report it. */
const HANG_MS = 10_000;
const HEAP_MB = 512;

/** Fuzzes one target in a separate thread, so that a hang or a full heap ends only that thread. */
export const fuzz = (target: string, seconds: number, seed: number): Promise<FuzzReport> =>
  new Promise((resolve) => {
    const worker = new Worker(path.join(import.meta.dirname, "fixtures/fuzz-worker.ts"), {
      workerData: { target, seconds, seed },
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
      execArgv: ["--no-warnings"],
    });
    let cases = 0;
    let current = seed;
    const end = (failure?: string): void => {
      clearTimeout(watchdog);
      void worker.terminate();
      resolve({ target, seed, cases, ...(failure !== undefined && { failure: `${failure} (case seed ${current})` }) });
    };
    const watchdog = setTimeout(() => end(`hangs for over ${HANG_MS} ms`), HANG_MS);
    worker.on("message", (message: { cases: number; seed: number; failure?: string; done?: boolean }) => {
      watchdog.refresh();
      cases = message.cases;
      current = message.seed;
      if (message.failure !== undefined || message.done) end(message.failure);
    });
    worker.on("error", (error) => end(String(error)));
  });
