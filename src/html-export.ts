import { setImmediate } from "node:timers/promises";
import { collectFiles, readFiles } from "./html-export/files.ts";
import { createQueue } from "./html-export/queue.ts";
import { type Input, LONGEST_TEXT, type Output, startWorker } from "./html-export/worker.ts";
import type { Log } from "./log.ts";
import { Refusal } from "./source.ts";

export interface HtmlExportOptions {
  /** The script of `<run-view>`, in one file. */
  readonly script: string;
  /** Texts and patterns to redact, in addition to the built-in rules. */
  readonly redact?: readonly (string | RegExp)[];
  /** Aborts the export, for example when the client is gone. */
  readonly signal?: AbortSignal;
}

/** Entries per page. At 64 KB each, reading and copying a page does not delay other requests noticeably. */
const PAGE = 64;
const LONGEST_MS = 60_000;
const queue = createQueue({ atOnce: 2, waiting: 32 });

/**
 * Exports a run as one self-contained HTML file that plays it, with secrets redacted. Redaction takes time and its
 * input is untrusted, so it runs in a worker while the process keeps serving other requests.
 */
export const exportHtml = (log: Log, run: string, options: HtmlExportOptions): Promise<Uint8Array> =>
  queue(async () => {
    const limit = AbortSignal.timeout(LONGEST_MS);
    const signal = options.signal ? AbortSignal.any([options.signal, limit]) : limit;
    const worker = startWorker({ run, script: options.script, redact: options.redact ?? [] });
    const answer = Promise.withResolvers<Uint8Array>();
    const files = new Set<string>();
    let after = 0;
    const send = (input: Input) => worker.postMessage(input, []);
    const sendNext = async (): Promise<void> => {
      const entries = await log.read(run, after, PAGE);
      // A memory log responds synchronously, so yield between pages.
      await setImmediate();
      for (const entry of entries) collectFiles(entry, files);
      const last = entries.at(-1);
      if (!last) return send(await readFiles(log, run, files));
      after = last.seq;
      send({ entries });
    };
    worker.on("message", (output: Output) => {
      if (output === "next") sendNext().catch(answer.reject);
      else if ("html" in output) answer.resolve(output.html);
      else answer.reject(refusalOf(output.refused, run));
    });
    worker.on("error", answer.reject);
    worker.on("exit", () => answer.reject(refusalOf("too-slow", run)));
    const giveUp = () => answer.reject(refusalOf("too-slow", run));
    if (signal.aborted) giveUp();
    signal.addEventListener("abort", giveUp, { once: true });
    try {
      return await answer.promise;
    } finally {
      void worker.terminate();
    }
  });

const REASONS = {
  "too-large": `it is larger than ${LONGEST_TEXT / 1024 / 1024} MB`,
  "too-many-secrets": "it contains too many secrets",
  "too-slow": "searching it for secrets takes too long",
} as const;

const refusalOf = (reason: keyof typeof REASONS, run: string): Refusal =>
  new Refusal(reason, `run ${run} cannot be saved as one HTML file: ${REASONS[reason]}`, {
    status: 413,
    hint: `download the log instead: GET /runs/${run}/export.jsonl`,
  });
