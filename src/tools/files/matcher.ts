import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { Refusal } from "../../source.ts";
import { messageOf } from "../../message-of.ts";

/** Returns the indexes of the lines that match. */
export interface Matcher {
  match(lines: readonly string[], signal: AbortSignal): Promise<readonly number[]>;
  close(): Promise<void>;
}

export const substringMatcher = (text: string, ignoreCase: boolean): Matcher => {
  const fold = (line: string) => (ignoreCase ? line.toLowerCase() : line);
  const wanted = fold(text);
  return {
    match: async (lines) => lines.flatMap((line, index) => (fold(line).includes(wanted) ? [index] : [])),
    close: () => Promise.resolve(),
  };
};

/**
 * Runs a regular expression in a separate thread. Some expressions take practically forever, and that cannot be
 * detected in advance. The event loop never waits for the thread, and closing the matcher ends it. One `match` at a
 * time.
 */
export const regexMatcher = (source: string, ignoreCase: boolean, limitMs = 2000): Matcher => {
  const flags = ignoreCase ? "iu" : "u";
  try {
    RegExp(source, flags);
  } catch (error) {
    throw new Refusal("bad-pattern", `The regular expression is not valid: ${messageOf(error)}.`);
  }
  const worker = new Worker(PROGRAM, { eval: true, workerData: { source, flags }, execArgv: [] });
  const online = once(worker, "online");
  let waiting: PromiseWithResolvers<readonly number[]> | undefined;
  worker.on("message", (indices: number[]) => waiting?.resolve(indices));
  worker.on("error", (error) => waiting?.reject(error));
  return {
    async match(lines, signal) {
      await online;
      signal.throwIfAborted();
      const mine = (waiting = Promise.withResolvers<readonly number[]>());
      const abort = () => mine.reject(signal.reason);
      const timer = setTimeout(() => mine.reject(new Refusal("slow-pattern", SLOW)), limitMs);
      signal.addEventListener("abort", abort);
      worker.postMessage(lines, []);
      try {
        return await mine.promise;
      } finally {
        clearTimeout(timer);
        signal.removeEventListener("abort", abort);
      }
    },
    close: async () => {
      await worker.terminate();
    },
  };
};

const SLOW =
  "The regular expression took too long and was stopped. Use a simpler one, without nested repetition such as (a+)+, or plain text.";

const PROGRAM = `
const { parentPort, workerData } = require("node:worker_threads");
const pattern = new RegExp(workerData.source, workerData.flags);
parentPort.on("message", (lines) => {
  parentPort.postMessage(lines.flatMap((line, index) => (pattern.test(line) ? [index] : [])));
});
`;
