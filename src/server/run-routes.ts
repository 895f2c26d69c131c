import { setImmediate } from "node:timers/promises";
import type { Context } from "hono";
import { htmlResponse, logResponse } from "./exports.ts";
import { fileResponse, streamOf } from "./files.ts";
import { linkRoutes, type LinkRoutesOptions } from "./link-routes.ts";
import type { Env, PlainRoute } from "./plain-route.ts";
import type { Owners } from "./owners.ts";
import type { Readings } from "./readings.ts";
import { runListRoutes } from "./run-list-routes.ts";
import { threadRoutes } from "./thread-routes.ts";

export interface RunRoutesOptions extends LinkRoutesOptions {
  readonly owners: Owners;
  readonly readings: Readings;
  readonly page: ((request: Request) => Promise<Response | undefined>) | undefined;
  readonly redact: readonly (string | RegExp)[];
  readonly onError: (error: unknown, path: string) => void;
}

/** Routes for runs other than their streams. */
export const runRoutes = (options: RunRoutesOptions): readonly PlainRoute[] => {
  const { owners, readings } = options;
  const info = async ({ env: { principal }, req }: Context<Env>) => {
    const found = await owners.info(principal, "watch", req.param("run") ?? "");
    options.audit.note(principal, "watch", found.run);
    return found;
  };
  const cutting = (context: Context<Env>) => (error: unknown) => {
    context.env.outgoing.destroy();
    options.onError(error, context.req.path);
  };
  return [
    ...runListRoutes(owners, readings),
    ...threadRoutes(owners, readings),
    {
      method: "GET",
      path: "/runs/:run",
      summary: "The state of a run, and the cursor to follow it from.",
      handle: async (context) => {
        const { run } = await info(context);
        const { seq, pieces } = await readings(context.env.principal).states.text(run);
        const text = [`{"run":${JSON.stringify(run)},"seq":${seq},"state":`, ...pieces, "}"];
        return new Response(streamOf(bytesOf(text), cutting(context)), {
          headers: { "content-type": "application/json; charset=utf-8" },
        });
      },
    },
    {
      method: "GET",
      path: "/runs/:run/files/:file",
      summary: "A file stored with the run's log; supports Range.",
      handle: async (context) => {
        const { run } = await info(context);
        const { log } = readings(context.env.principal);
        return await fileResponse(log, run, context.req.param("file") ?? "", context.req.raw, cutting(context));
      },
    },
    {
      method: "GET",
      path: "/runs/:run/export.jsonl",
      summary: "The run's log, one entry per line.",
      handle: async (context) => {
        const { run } = await info(context);
        return logResponse(readings(context.env.principal).log, run, context.req.method, cutting(context));
      },
    },
    {
      method: "GET",
      path: "/runs/:run/export.html",
      summary: "The run as one HTML file that plays offline. Recognized secrets are removed.",
      handle: async (context) => {
        const { run } = await info(context);
        const { log } = readings(context.env.principal);
        return await htmlResponse(log, run, context.req.method, options, context.req.raw.signal);
      },
    },
    ...linkRoutes(options),
  ];
};

async function* bytesOf(pieces: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) {
    yield Buffer.from(piece);
    await setImmediate();
  }
}
