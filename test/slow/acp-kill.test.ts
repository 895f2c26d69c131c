import { fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, readlinkSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { folder, text } from "../acp/scripted.ts";

// Only Linux shows which process has started another one that lost its parent.
const linuxTest = test.skipIf(process.platform !== "linux");

const startServer = async (settings: object, env: NodeJS.ProcessEnv = {}) => {
  const server = fork(path.join(import.meta.dirname, "../fixtures/acp-server.ts"), {
    execArgv: ["--disable-warning=ExperimentalWarning"],
    env: { ...process.env, ...env, SERVER: JSON.stringify(settings) },
  });
  onTestFinished(() => void server.kill("SIGKILL"));
  const [url] = await Promise.race([once(server, "message"), once(server, "exit").then(() => [])]);
  return { server, url: url as string | undefined };
};

linuxTest("after a kill of the server, the next one ends the run and what the agent left running", async () => {
  const [directory, cwd] = [folder(), folder()];
  const turn = [{ spawn: "echo $$ > pid; sleep 600; :" }, text("Working."), { wait: 600_000 }];
  const start = async () => await startServer({ directory, cwd, script: JSON.stringify({ turn }) });
  /** Whether the agent's command still runs. A zombie has no command line. */
  const isRunning = (): boolean => {
    try {
      const pid = readFileSync(path.join(cwd, "pid"), "utf8").trim();
      return pid !== "" && readFileSync(`/proc/${pid}/cmdline`, "utf8") !== "";
    } catch {
      return false;
    }
  };

  const first = await start();
  const headers = { "content-type": "application/json", accept: "application/json" };
  await fetch(`${first.url}/runs`, { method: "POST", headers, body: JSON.stringify({ message: "go" }) });
  await expect.poll(isRunning).toBe(true);
  first.server.kill("SIGKILL");
  await once(first.server, "exit");
  expect(existsSync(path.join(directory, "log.db"))).toBe(true);
  expect(isRunning()).toBe(true);

  const second = await start();
  const outcomes = async () => {
    const { runs } = (await (await fetch(`${second.url}/runs`)).json()) as { runs: { outcome?: string }[] };
    return runs.map(({ outcome }) => outcome);
  };
  await expect.poll(outcomes).toEqual(["interrupted"]);
  await expect.poll(isRunning).toBe(false);
});

linuxTest("a server that was started from what an earlier one left running does not end itself", async () => {
  const settings = { directory: folder(), cwd: folder(), script: JSON.stringify({ turn: [] }) };
  const space = /\d+/.exec(readlinkSync("/proc/self/ns/pid"))![0];
  // Process 1 began at another time, so the server that is named here has ended.
  const { server, url } = await startServer(settings, { RUNCAST_OWNER: `${space}-1-999999999999` });
  expect(server.signalCode).toBeNull();
  expect((await fetch(`${url}/agents`)).status).toBe(200);
});
