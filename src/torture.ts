import { messageOf } from "./message-of.ts";
import type { Driver } from "./torture/driver.ts";
import { type Exchange, openLine } from "./torture/line.ts";
import { createRandom } from "./torture/random.ts";
import type { Result } from "./torture/result.ts";
import { createServerProcess, type ServerProcess } from "./torture/server-process.ts";
import { startStage } from "./torture/stage.ts";
import { Ended, type Finding, no, type Trial } from "./torture/trial.ts";
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
}

const EXCHANGES = 6;

/** Runs the trials against a server, one after another. Trials that mostly wait run in parallel with the others. */
export async function* torture(options: TortureOptions): AsyncGenerator<Result> {
  const { url, driver, headers = {}, command, only, isShort = false } = options;
  const seed = options.seed ?? Math.floor(Math.random() * 1_000_000);
  const stage = await startStage(options.stagePort === undefined ? {} : { port: options.stagePort });
  const server = command === undefined ? undefined : createServerProcess(command, url, { TORTURE_URL: stage.url });
  const play = async (trial: Trial): Promise<Result> => {
    const record: Exchange[] = [];
    const opened: ReturnType<typeof openLine>[] = [];
    const start = performance.now();
    const found = trial.run({
      driver,
      url,
      headers,
      isShort,
      random: createRandom(seed),
      restart: server,
      play: stage.play,
      line: (faults = {}) => {
        const line = openLine(faults, record);
        opened.push(line);
        return line;
      },
    });
    const finding = await Promise.race([found.catch(findingOf), tooLong(trial.limitMs)]);
    for (const line of opened) line.cut("open until the trial was over");
    const { name, shows } = trial;
    return {
      trial: name,
      shows,
      ...finding,
      seed,
      ms: Math.round(performance.now() - start),
      ...(finding.verdict === "no" && {
        evidence: record.slice(-EXCHANGES),
        ...(server && { output: server.output }),
      }),
    };
  };
  try {
    await server?.start();
    const chosen = all.filter(({ name }) => !only || only.includes(name));
    const waiting = new Map(chosen.filter(({ isIdle }) => isIdle).map((trial) => [trial, play(trial)]));
    for (const trial of chosen) {
      const beside = await waiting.get(trial);
      // Another trial may have crashed the server meanwhile, so run the trial again, by itself, unless it was a "yes".
      yield beside?.verdict === "yes" ? beside : await play(trial);
      await revive(server);
    }
  } finally {
    await server?.kill();
    await stage.close();
  }
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
