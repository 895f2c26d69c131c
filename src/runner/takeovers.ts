import type { EventOf, Problem } from "../events.ts";
import type { Log, RunInfo } from "../log.ts";
import { PROTOCOL } from "../protocol.ts";
import type { RunnableAgent } from "../runner.ts";
import type { RunRequest } from "../source.ts";
import { messageOf } from "../message-of.ts";
import { readRequest } from "./stored-request.ts";

/** What is needed to continue a run, or why it cannot continue. */
export interface Continuation {
  readonly request: RunRequest;
  readonly agent: RunnableAgent;
  readonly problem?: Problem;
}

/** Finds the agent and the request of a run that another process began. */
export const continuationOf = async (
  log: Log,
  { run, name }: RunInfo,
  agentNamed: ((name: string) => RunnableAgent | undefined) | undefined,
): Promise<Continuation> => {
  const [first] = await log.read(run, 0, 1);
  const start = first?.event as EventOf<"run-start">;
  const ended = (problem: Problem, request: RunRequest = { run, messages: [] }): Continuation => ({
    request,
    agent: { name, source: nothing },
    problem,
  });
  if (start.protocol !== PROTOCOL) return ended(STOPPED);
  try {
    const { request, agent: wanted, withheld } = await readRequest(log, run, start);
    const agent = agentNamed?.(wanted);
    if (!agent?.source.resume) return ended(STOPPED, request);
    if (withheld.length > 0 && !agent.source.follows) return ended(needsSecrets(withheld), request);
    return { request, agent };
  } catch (error) {
    return ended({ ...STOPPED, message: `${STOPPED.message}, and it cannot be continued: ${messageOf(error)}` });
  }
};

const nothing = async function* (): AsyncGenerator<never, void> {};

const STOPPED: Problem = {
  code: "interrupted",
  message: "the server stopped during the run",
  retryable: true,
};

const needsSecrets = (withheld: readonly string[]): Problem => ({
  ...STOPPED,
  message: `${STOPPED.message}, and it used secrets from its request, which are never stored`,
  hint: `start it again with ${withheld.join(", ")}`,
});

/** Takes over runs without a living owner: all of them once, then periodically, with jitter so that processes do not scan in lockstep. */
export interface Scan {
  /** Returns the number of runs taken over. */
  once(): Promise<number>;
  start(): void;
  stop(): void;
}

const SCAN_MS = 400;
const PAGE = 100;
const AT_ONCE = 8;

export const createScan = (
  log: Pick<Log, "orphans">,
  isKnown: (run: string) => boolean,
  takeOver: (info: RunInfo) => Promise<boolean>,
  /** Called before each scan. */
  prepare: () => Promise<void>,
  onProblem: (error: unknown) => void,
): Scan => {
  let timer: NodeJS.Timeout | undefined;
  let isStarted = false;
  let hasFailed = false;

  const once = async (): Promise<number> => {
    await prepare();
    const tried = new Set<string>();
    let taken = 0;
    for (;;) {
      const orphans = await log.orphans(PAGE + tried.size);
      const left = orphans.filter(({ run }) => !tried.has(run) && !isKnown(run));
      // At random: other processes choose from the same runs at the same time.
      const from = Math.floor(Math.random() * left.length);
      const found = [...left.slice(from), ...left.slice(0, from)].slice(0, AT_ONCE);
      if (!found.length) return taken;
      for (const { run } of found) tried.add(run);
      const results = await Promise.all(found.map(takeOver));
      taken += results.filter(Boolean).length;
    }
  };

  const scan = async (): Promise<void> => {
    try {
      await once();
      hasFailed = false;
    } catch (error) {
      // Report an unavailable log only once.
      if (!hasFailed) onProblem(error);
      hasFailed = true;
    }
    schedule();
  };
  const schedule = (): void => {
    if (isStarted) timer = setTimeout(() => void scan(), SCAN_MS * (0.75 + Math.random() / 2)).unref();
  };

  return {
    once,
    start() {
      if (isStarted) return;
      isStarted = true;
      schedule();
    },
    stop() {
      isStarted = false;
      clearTimeout(timer);
    },
  };
};
