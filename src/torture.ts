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
  /** Where the server is reached, for `--command` to know when it listens. */
  readonly url: string;
  readonly driver: Driver;
  readonly headers?: Readonly<Record<string, string>>;
  /** Starts the server: then it can be killed, and is stopped in the end. The environment names the kit's model as TORTURE_URL. */
  readonly command?: string;
  /** Where the kit's model and tools listen, for a server that is started elsewhere. Default: any free port. */
  readonly stagePort?: number;
  /** The names of the trials. Default: all. */
  readonly only?: readonly string[];
  readonly seed?: number;
  readonly isShort?: boolean;
}

const EXCHANGES = 6;

/** Puts a server through the trials, one after the other. */
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
    for (const line of opened) line.cut();
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
    for (const trial of all) {
      if (only && !only.includes(trial.name)) continue;
      yield await play(trial);
      await revive(server);
    }
  } finally {
    await server?.kill();
    await stage.close();
  }
}

/** A trial may leave a server that it has killed, or that has died of it. */
const revive = async (server: ServerProcess | undefined): Promise<void> => {
  if (!server || server.isRunning) return;
  await server.start();
};

const findingOf = (error: unknown): Finding =>
  error instanceof Ended ? error.finding : no(`the trial broke off: ${messageOf(error)}`);

const tooLong = async (limitMs: number): Promise<Finding> => {
  await new Promise((resolve) => setTimeout(resolve, limitMs).unref());
  return no(`it was not over after ${limitMs / 1000} s`);
};
