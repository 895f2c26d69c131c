import { serve as serveNode } from "@hono/node-server";
import { Hono } from "hono";
import { streamSSE } from "hono/streaming";
import type { SSEStreamingApi } from "hono/streaming";
import type { Serve } from "../server.ts";
import { nativeRun } from "../workload.ts";

export const serve: Serve = async (stage) => {
  const viewers = new Map<SSEStreamingApi, () => void>();
  const share = () => {
    const writes = new Map<SSEStreamingApi, Promise<void>>();
    stage.push(
      { ...stage.script(nativeRun), opening: [] },
      (event) => {
        const data = JSON.stringify(event);
        for (const viewer of viewers.keys()) writes.set(viewer, viewer.writeSSE({ data }));
      },
      () => {
        for (const [viewer, end] of viewers) void writes.get(viewer)?.then(end);
        viewers.clear();
      },
    );
  };
  const app = new Hono();
  app.get("/", (context) =>
    streamSSE(context, async (stream) => {
      const run = stage.script(nativeRun);
      if (stage.plan.shared) {
        for (const event of run.opening) await stream.writeSSE({ data: JSON.stringify(event) });
        if (viewers.size === 0) share();
        return new Promise<void>((end) => viewers.set(stream, end));
      }
      // A write that is not awaited before the callback returns is lost, so await the last one.
      await new Promise<void>((end) => {
        let last = Promise.resolve();
        stage.push(
          run,
          (event) => (last = stream.writeSSE({ data: JSON.stringify(event) })),
          () => void last.then(end),
        );
      });
    }),
  );
  return new Promise((resolve) => {
    serveNode({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) => resolve({ port }));
  });
};
