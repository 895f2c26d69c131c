import type { Context, Span, Tracer } from "@opentelemetry/api";
import type { Entry } from "./events.ts";
import { createSpans, type SpanSink } from "./traces/spans.ts";

type Api = typeof import("@opentelemetry/api");

/**
 * Exports runs that have ended to OpenTelemetry through `@opentelemetry/api`, if that is installed and has an SDK. A trace is
 * built from the complete log, so it covers all processes that worked on the run, and costs nothing while the run is active.
 */
export interface Traces {
  /** Queues a run. Never throws. */
  record(run: { entries(): AsyncIterable<readonly Entry[]> }): void;
  /** Resolves when all queued runs are exported. */
  close(): Promise<void>;
}

/** The maximum number of queued runs. If runs end faster than they can be read, the excess gets no trace. */
const MAX_QUEUED = 1000;

export const createTraces = (version: string, onProblem: (error: unknown) => void): Traces => {
  const api = import("@opentelemetry/api").catch(() => undefined);
  let last: Promise<void> = Promise.resolve();
  let queued = 0;
  return {
    record: (run) => {
      if (queued >= MAX_QUEUED) return;
      queued++;
      last = last
        .then(async () => {
          const loaded = await api;
          if (loaded && hasSdk(loaded)) await trace(loaded, loaded.trace.getTracer("runcast", version), run.entries());
        })
        .catch(onProblem)
        .finally(() => queued--);
    },
    close: () => last,
  };
};

/** Whether the program has set up an SDK. Most have not, and then the log need not be read. */
const hasSdk = ({ trace, ProxyTracerProvider }: Api): boolean => {
  const provider = trace.getTracerProvider();
  return !(provider instanceof ProxyTracerProvider) || provider.getDelegateTracer("runcast") !== undefined;
};

const trace = async (api: Api, tracer: Tracer, pages: AsyncIterable<readonly Entry[]>): Promise<void> => {
  const open = new Map<string, { readonly span: Span; readonly context: Context }>();
  const sink: SpanSink = {
    start: ({ id, parent, name, isRemote, at, attributes }) => {
      const within = (parent !== undefined && open.get(parent)?.context) || api.ROOT_CONTEXT;
      const kind = isRemote ? api.SpanKind.CLIENT : api.SpanKind.INTERNAL;
      // A Date: the SDK would interpret a number from before the process started as relative to its start.
      const span = tracer.startSpan(name, { kind, startTime: new Date(at), attributes: { ...attributes } }, within);
      open.set(id, { span, context: api.trace.setSpan(within, span) });
    },
    event: (id, name, at, attributes) => void open.get(id)?.span.addEvent(name, { ...attributes }, new Date(at)),
    end: (id, at, attributes, error) => {
      const found = open.get(id);
      if (!found) return;
      open.delete(id);
      found.span.setAttributes({ ...attributes, ...(error !== undefined && { "error.type": error }) });
      if (error !== undefined) found.span.setStatus({ code: api.SpanStatusCode.ERROR });
      found.span.end(new Date(at));
    },
  };
  const { take } = createSpans(sink);
  let isFirst = true;
  for await (const entries of pages)
    for (const entry of entries) {
      take(entry);
      // Stop reading if the run is not sampled.
      if (isFirst && ![...open.values()].some(({ span }) => span.isRecording())) return;
      isFirst = false;
    }
};
