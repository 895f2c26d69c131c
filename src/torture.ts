import { messageOf } from "./message-of.ts";
import { createCrash } from "./torture/crash.ts";
import type { Driver } from "./torture/driver.ts";
import { type Exchange, openLine } from "./torture/line.ts";
import { createRandom } from "./torture/random.ts";
import type { Result } from "./torture/result.ts";
import { createServerProcess, type ServerProcess } from "./torture/server-process.ts";
import { startStage } from "./torture/stage.ts";
import { Ended, type Finding, no, type Restart, type Trial } from "./torture/trial.ts";
import { trials as all } from "./torture/trials.ts";

export { tortureAgent } from "./torture/agent.ts";
export type { Conversation, Driver, DriverOptions, Viewer } from "./torture/driver.ts";
export { drivers } from "./torture/drivers.ts";
export { StreamViewer } from "./torture/drivers/dialect.ts";
export type { Fetch, Line } from "./torture/line.ts";
export { reportTable } from "./torture/report.ts";
export type { Result } from "./torture/result.ts";
export { EventScreen, type Screen } from "./torture/screen.ts";
export { startStage, type Stage } from "./torture/stage.ts";
export { trials } from "./torture/trials.ts";

export interface TortureOptions {
  /** The address of the server. With `command`, the kit waits until it accepts connections. */
  readonly url: string;
  readonly driver: Driver;
  readonly headers?: Readonly<Record<string, string>>;
  /** Starts the server, so that trials can kill it, with the URL of the kit's model in TORTURE_URL. The kit stops it at the end. */
  readonly command?: string;
  /** The port of the kit's model and tools, for a server that the kit does not start. Default: any free port. */
  readonly stagePort?: number;
  /** The names of the trials. Default: all. */
  readonly only?: readonly string[];
  readonly seed?: number;
  readonly isShort?: boolean;
  /** Called while nothing is left to do but to wait for `idle`. The next trial starts when it resolves. Default: waits. */
  readonly whileIdle?: (idle: Promise<unknown>) => Promise<unknown>;
}

const EXCHANGES = 6;

/**
 * Runs the trials against a server, one after another. Trials that mostly wait run in parallel with the others. Trials that
 * kill the server run together and share one crash.
 */
export async function* torture(options: TortureOptions): AsyncGenerator<Result> {
  const { url, driver, headers = {}, command, only, isShort = false, whileIdle = (idle) => idle } = options;
  const seed = options.seed ?? Math.floor(Math.random() * 1_000_000);
  const stage = await startStage(options.stagePort === undefined ? {} : { port: options.stagePort });
  const server = command === undefined ? undefined : createServerProcess(command, url, { TORTURE_URL: stage.url });
  const play = async (trial: Trial, restart: Restart | undefined): Promise<Played> => {
    const record: Exchange[] = [];
    let kept: readonly Exchange[] | undefined;
    const opened: ReturnType<typeof openLine>[] = [];
    const start = performance.now();
    const found = trial.run({
      driver,
      url,
      headers,
      isShort,
      random: createRandom(seed),
      restart,
      play: stage.play,
      keepEvidence: () => void (kept ??= record.slice(-EXCHANGES)),
      line: (faults = {}) => {
        const line = openLine(faults, record);
        opened.push(line);
        return line;
      },
    });
    const { isSure = false, ...finding } = await Promise.race([found.catch(findingOf), tooLong(trial.limitMs)]);
    for (const line of opened) line.cut("open until the trial was over");
    const { name, shows } = trial;
    const result: Result = {
      trial: name,
      shows,
      ...finding,
      seed,
      ms: Math.round(performance.now() - start),
      ...(finding.verdict === "no" && {
        evidence: kept ?? record.slice(-EXCHANGES),
        ...(server && { output: server.output }),
      }),
    };
    return { result, isSure: isSure || finding.verdict === "yes" };
  };
  try {
    await server?.start();
    const chosen = all.filter(({ name }) => !only || only.includes(name));
    const waiting = new Map(
      chosen.filter(({ isIdle }) => isIdle).map((trial) => [trial, play(trial, server)] as const),
    );
    for (const trial of chosen.filter(({ kills }) => !kills)) {
      const playing = waiting.get(trial);
      if (playing) await whileIdle(playing);
      const found = await playing;
      // If another trial may have crashed the server or kept it busy, the trial runs again, by itself.
      yield found?.isSure ? found.result : (await play(trial, server)).result;
      await revive(server);
    }
    const crash = server && createCrash(server);
    const killing = chosen
      .filter(({ kills }) => kills)
      .map((trial) => ({ trial, restart: crash?.join() }))
      .map(async ({ trial, restart }) => {
        const { result } = await play(trial, restart);
        restart?.leave();
        return result;
      });
    for (const result of killing) yield await result;
  } finally {
    await server?.kill();
    await stage.close();
  }
}

interface Played {
  readonly result: Result;
  readonly isSure: boolean;
}

/** Restarts the server if a trial killed or crashed it. */
const revive = async (server: ServerProcess | undefined): Promise<void> => {
  if (!server || server.isRunning) return;
  await server.start();
};

const findingOf = (error: unknown): Finding =>
  error instanceof Ended ? error.finding : no(`the trial failed: ${messageOf(error)}`);

const tooLong = async (limitMs: number): Promise<Finding> => {
  await new Promise((resolve) => setTimeout(resolve, limitMs).unref());
  return no(`the trial did not end within ${limitMs / 1000} s`);
};
