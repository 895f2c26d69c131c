import type { Browser, CDPSession, Page } from "playwright-core";

/** What the page's main thread had used when this many tokens had been sent, in milliseconds of CPU time, and bytes. */
export interface Mark {
  readonly tokens: number;
  readonly script: number;
  readonly layout: number;
  readonly style: number;
  readonly task: number;
  readonly heap: number;
}

/** Main thread tasks of at least one millisecond, in milliseconds. */
export interface Tasks {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  /** The same in CPU time: what they would take on an otherwise idle machine. */
  readonly cpu: { readonly p99: number; readonly max: number };
  /** How many frames the main thread produced. */
  readonly frames: number;
}

export interface Measured {
  readonly marks: readonly Mark[];
  readonly tasks: Tasks;
}

/**
 * Opens a page with `open`, and measures from `begin` until `end`. The stream calls `sample` when it wants a mark. The last
 * mark is taken when the page shows the end: a page that lags behind the stream must not look lean.
 */
export const measurePage = async (
  browser: Browser,
  steps: {
    readonly open: (page: Page) => Promise<void>;
    readonly begin: (page: Page) => Promise<void>;
    readonly end: (page: Page) => Promise<void>;
    readonly onReady: (sample: (tokens: number) => void) => void;
    readonly tokens: number;
  },
): Promise<Measured> => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  const mistakes: string[] = [];
  page.on("pageerror", (error) => mistakes.push(error.message));
  try {
    await steps.open(page);
    const session = await context.newCDPSession(page);
    // CPU time of the thread, so that a busy machine does not affect it.
    await session.send("Performance.enable", { timeDomain: "threadTicks" });
    await session.send("HeapProfiler.enable");
    const marks: Promise<Mark>[] = [];
    await session.send("HeapProfiler.collectGarbage");
    marks.push(markOf(session, 0));
    steps.onReady((tokens) => marks.push(markOf(session, tokens)));
    await browser.startTracing(page, { categories: ["toplevel"] });
    await steps.begin(page);
    await steps.end(page);
    marks.push(markOf(session, steps.tokens));
    const trace = await browser.stopTracing();
    if (mistakes.length > 0) throw new Error(mistakes[0]);
    return { marks: await Promise.all(marks), tasks: tasksOf(trace) };
  } finally {
    await context.close();
  }
};

const markOf = async (session: CDPSession, tokens: number): Promise<Mark> => {
  const { metrics } = await session.send("Performance.getMetrics");
  const value = (name: string): number => metrics.find((metric) => metric.name === name)?.value ?? 0;
  return {
    tokens,
    script: value("ScriptDuration") * 1000,
    layout: value("LayoutDuration") * 1000,
    style: value("RecalcStyleDuration") * 1000,
    task: value("TaskDuration") * 1000,
    heap: value("JSHeapUsedSize"),
  };
};

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly dur?: number;
  readonly tdur?: number;
  readonly args?: { readonly name?: string; readonly src_func?: string };
}

/** The function of Chromium's compositor that asks the main thread for a frame. */
const FRAME = "ScheduledActionSendBeginMainFrame";

/** The tasks of the main thread in a trace with the category `toplevel`. */
export const tasksOf = (trace: Buffer): Tasks => {
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: readonly TraceEvent[] };
  const mains = new Set(
    traceEvents
      .filter(({ name, args }) => name === "thread_name" && args?.name === "CrRendererMain")
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  const tasks = traceEvents.filter(
    ({ name, pid, tid }) => name === "ThreadControllerImpl::RunTask" && mains.has(`${pid} ${tid}`),
  );
  const clock = spread(tasks.map(({ dur = 0 }) => dur / 1000));
  const frames = tasks.filter(({ args }) => args?.src_func === FRAME).length;
  return { ...clock, cpu: spread(tasks.map(({ tdur = 0 }) => tdur / 1000)), frames };
};

const spread = (all: readonly number[]) => {
  const took = all.filter((ms) => ms >= 1).sort((one, other) => one - other);
  const at = (share: number): number => took[Math.min(took.length - 1, Math.floor(took.length * share))] ?? 0;
  return { count: took.length, p50: at(0.5), p99: at(0.99), max: took.at(-1) ?? 0 };
};
