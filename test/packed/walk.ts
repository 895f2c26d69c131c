import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { ended, send } from "../chatting.ts";
import { greeting } from "../command-line.ts";
import { onStop } from "../serving.ts";
import { mustRun } from "./checkout.ts";

interface Steps {
  /** What the user types, line by line. The last command is the server. */
  readonly commands: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly open: (url: string) => Promise<Page>;
  /** A part of the model's answer. */
  readonly answer: string;
}

/** Does what a new user does, from the first command to the model's answer on the page, and prints what it took. */
export const walk = async (name: string, { commands, cwd, env, open, answer }: Steps) => {
  const start = performance.now();
  for (const command of commands.slice(0, -1)) await mustRun(command, cwd, env);
  const { printed, url } = await startCommand(commands.at(-1)!, cwd, env);
  const page = await open(url);
  await send(page, "Hello");
  await ended(page, "done");
  expect(await page.getByRole("article", { name: "Agent" }).innerText()).toContain(answer);
  const seconds = (performance.now() - start) / 1000;
  console.log(`${name}: ${commands.length} ${commands.length === 1 ? "command" : "commands"}, ${seconds.toFixed(1)} s`);
  return { printed, url, page };
};

/** Starts a server with a command line. It is stopped after the test. */
const startCommand = async (command: string, cwd: string, env: NodeJS.ProcessEnv) => {
  // A group of its own, so that no process of npm outlives the test.
  const child = spawn("sh", ["-c", command], { cwd, env, detached: true }) as ChildProcessWithoutNullStreams;
  onStop(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    process.kill(-child.pid!, "SIGKILL");
    await once(child, "exit");
  });
  return { child, ...(await greeting(child)) };
};
