import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import type { Entry } from "../events.ts";
import { buildHtml, type BuildOptions } from "./build.ts";
import type { FoundFile } from "./files.ts";
import { TooManySecrets } from "./secrets.ts";

/** Messages to the worker: pages of entries, then the files they reference. */
export type Input =
  | { readonly entries: readonly Entry[] }
  | { readonly files: readonly FoundFile[]; readonly tooLarge: number };

/** Messages from the worker: ready for the next page, the finished file, or the reason for a refusal. */
export type Output = "next" | { readonly html: Uint8Array } | { readonly refused: "too-large" | "too-many-secrets" };

/** The maximum text of all entries. Browsers struggle with larger files. */
export const LONGEST_TEXT = 64 * 1024 * 1024;
const NAME = "html-export";

/** The worker runs this same file, so its URL also works in the built package. */
export const startWorker = (options: BuildOptions): Worker =>
  new Worker(new URL(import.meta.url), {
    name: NAME,
    workerData: { task: NAME, options },
    resourceLimits: { maxOldGenerationSizeMb: 1024 },
    // The worker needs no environment, and its input is untrusted.
    env: {},
  });

const work = (options: BuildOptions): void => {
  const all: Entry[] = [];
  let length = 0;
  const send = (output: Output, moved: readonly ArrayBuffer[] = []) => parentPort!.postMessage(output, [...moved]);
  parentPort!.on("message", (input: Input) => {
    if ("entries" in input) {
      for (const entry of input.entries) all.push(entry);
      length += JSON.stringify(input.entries).length;
      return send(length > LONGEST_TEXT ? { refused: "too-large" } : "next");
    }
    try {
      const html = new TextEncoder().encode(buildHtml(options, all, input.files, input.tooLarge));
      send({ html }, [html.buffer]);
    } catch (error) {
      if (!(error instanceof TooManySecrets)) throw error;
      send({ refused: "too-many-secrets" });
    }
  });
  send("next");
};

const given = workerData as { readonly task?: unknown; readonly options: BuildOptions } | null;
if (!isMainThread && given?.task === NAME) work(given.options);
