import { setImmediate } from "node:timers/promises";
import { exportHtml } from "../html-export.ts";
import type { Log } from "../log.ts";
import { Refusal } from "../source.ts";
import { lineSafe } from "../sse.ts";
import { type OnBroken, streamOf } from "./files.ts";

/** A run's log, one entry per line. */
export const logResponse = (log: Log, run: string, method: string, onBroken: OnBroken): Response =>
  new Response(method === "HEAD" ? null : streamOf(lines(log, run), onBroken), {
    headers: {
      "content-type": "application/x-ndjson; charset=utf-8",
      "content-disposition": `attachment; filename="${run}.jsonl"`,
      "x-content-type-options": "nosniff",
    },
  });

export interface HtmlResponseOptions {
  /** Provides the element's script. */
  readonly page: ((request: Request) => Promise<Response | undefined>) | undefined;
  readonly redact: readonly (string | RegExp)[];
}

/** A run as a single HTML file. */
export const htmlResponse = async (
  log: Log,
  run: string,
  method: string,
  { page, redact }: HtmlResponseOptions,
  signal?: AbortSignal,
): Promise<Response> => {
  const script = await page?.(new Request("http://localhost/element.js"));
  if (!script)
    throw new Refusal("no-page", "this server's page was not built, so it cannot save a run as HTML", {
      status: 501,
      hint: "build it with: npm run build",
    });
  const html =
    method === "HEAD"
      ? null
      : await exportHtml(log, run, { script: await script.text(), redact, ...(signal && { signal }) });
  return new Response(html as Uint8Array<ArrayBuffer> | null, {
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-disposition": `attachment; filename="${run}.html"`,
      // It contains untrusted text, so it must not run with our origin if opened from here.
      "content-security-policy": "sandbox allow-scripts",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
    },
  });
};

async function* lines(log: Log, run: string): AsyncGenerator<Uint8Array> {
  let after = 0;
  for (;;) {
    const entries = await log.read(run, after, 64);
    await setImmediate();
    const last = entries.at(-1);
    if (!last) return;
    after = last.seq;
    yield Buffer.from(lineSafe(entries.map((entry) => `${JSON.stringify(entry)}\n`).join("")));
  }
}
