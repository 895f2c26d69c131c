import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export interface OpenWebUi {
  readonly url: string;
  /** The version that the running server reports. */
  readonly version: string;
  stop(): Promise<void>;
}

/** Variables of Open WebUI's environment. */
export type Settings = Readonly<Record<string, string>>;

/** The instance at RUNCAST_OPEN_WEBUI_URL, which is stopped elsewhere, or a new one. A test with settings needs its own. */
export const useOpenWebUi = async (program: string, settings?: Settings): Promise<OpenWebUi> => {
  const url = process.env.RUNCAST_OPEN_WEBUI_URL;
  if (url === undefined || settings) return startOpenWebUi(program, settings);
  return { url, version: await versionOf(url), stop: async () => {} };
};

/** Longer than any observed start, including the first on a cold disk. */
const START_MS = 180_000;
const STOP_MS = 10_000;

/** Starts an Open WebUI, offline and with an empty database. Its first account is the administrator's. */
export const startOpenWebUi = async (program: string, settings: Settings = {}, attempts = 3): Promise<OpenWebUi> => {
  const directory = mkdtempSync(path.join(tmpdir(), "runcast-open-webui-"));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const { PATH = "", HOME = directory } = process.env;
  const child = spawn(program, ["serve", "--host", "127.0.0.1", "--port", String(port)], {
    cwd: directory,
    env: {
      PATH,
      HOME,
      ...OFFLINE,
      ...settings,
      DATA_DIR: path.join(directory, "data"),
      // A server empties this directory when it starts, so servers must not share one.
      STATIC_DIR: path.join(directory, "static"),
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      printed = (printed + text).slice(-4000);
    });
  // The parent process may end before the tests are over.
  const abandon = () => child.kill();
  for (const event of ["disconnect", "exit"]) process.once(event, abandon);
  const stop = async () => {
    for (const event of ["disconnect", "exit"]) process.off(event, abandon);
    await end(child);
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    return { url, version: await becomesReady(url, child), stop };
  } catch (error) {
    const hasExited = child.exitCode !== null;
    await stop();
    // Another program may have taken the port before Open WebUI did, which takes a while.
    if (hasExited && attempts > 1) return startOpenWebUi(program, settings, attempts - 1);
    throw new Error(`Open WebUI did not start. It printed:\n${printed}`, { cause: error });
  }
};

const versionOf = async (url: string): Promise<string> => {
  const { version } = (await (await fetch(`${url}/api/version`)).json()) as { version?: string };
  if (version === undefined) throw new Error(`${url} is not an Open WebUI`);
  return version;
};

/** Settings of a server without access to the internet. */
export const OFFLINE = {
  WEBUI_SECRET_KEY: "only-for-this-test",
  OFFLINE_MODE: "true",
  HF_HUB_OFFLINE: "1",
  RAG_EMBEDDING_ENGINE: "openai",
  BYPASS_EMBEDDING_AND_RETRIEVAL: "true",
  AUDIO_STT_ENGINE: "openai",
  ENABLE_OLLAMA_API: "false",
  ENABLE_VERSION_UPDATE_CHECK: "false",
  ENABLE_PIP_INSTALL_FRONTMATTER_REQUIREMENTS: "false",
  ANONYMIZED_TELEMETRY: "false",
  DO_NOT_TRACK: "true",
  // Nothing listens there. A test adds a connection manually, as a user would.
  OPENAI_API_BASE_URLS: "http://127.0.0.1:9/v1",
  OPENAI_API_KEYS: "none",
};

/** Resolves with the version that the server reports. */
const becomesReady = async (url: string, child: ChildProcess): Promise<string> => {
  const until = performance.now() + START_MS;
  while (performance.now() < until) {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`);
    const isReady = await fetch(`${url}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
    const version = isReady ? await versionOf(url).catch(() => undefined) : undefined;
    if (version !== undefined) return version;
    await sleep(100);
  }
  throw new Error(`it was not ready within ${START_MS / 1000} s`);
};

const end = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
  await ended;
  clearTimeout(timer);
};

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
};
