import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { send } from "../chatting.ts";
import { freePort } from "../command-line.ts";
import { copyCheckout, freshEnvironment, linkPackages, root, runCommand } from "../packed/checkout.ts";
import { onStop } from "../serving.ts";
import { readGuide } from "./guide.ts";

/** A clone of the checkout, without its packages. It is removed after the test. */
export const freshClone = (): string => {
  const clone = mkdtempSync(path.join(tmpdir(), "runcast-guide-"));
  onStop(() => rmSync(clone, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));
  copyCheckout(clone, (file) => /^(?:src|web|scripts|examples|package\.json|tsconfig\.json)/.test(file));
  // `npm start` would build the same page again.
  cpSync(path.join(root, "dist/web"), path.join(clone, "dist/web"), { recursive: true });
  return clone;
};

/** Follows a guide in a fresh clone: saves its files, runs its commands, and does on the page what it says. */
export const walk = async (name: string, openPage: (url: string) => Promise<Page>) => {
  const clone = freshClone();
  const { replace, port } = await freePorts();
  const { actions, others } = readGuide(name, replace);
  const url = `http://127.0.0.1:${port}`;
  const env = freshEnvironment({ PORT: `${port}`, RUNCAST_URL: url, RUNCAST_MODEL: "demo" });
  const start = (command: string, more: Record<string, string> = {}) =>
    startServer(command, clone, { ...env, ...more });

  let page: Page | undefined;
  let read: () => string = () => "";
  let headers: Readonly<Record<string, string>> = {};
  let printed = "";
  for (const action of actions) {
    if (action.kind === "file") writeFileSync(path.join(clone, action.name), action.text);
    else if (action.kind === "headers") headers = action.headers;
    else if (action.kind === "server") read = await start(action.text);
    else if (action.kind === "command") {
      printed += await runStep(action.text, clone, env);
      read = () => printed;
    } else if (action.kind === "output") {
      await expect.poll(read, { message: action.lines.join("\n") }).toMatch(patternOf(action.lines));
      printed = "";
    } else if (action.kind === "open") page = await openPage(action.text);
    else if (!page) throw new Error(`${name}: no page is open for ${action.kind} ${action.text}`);
    else if (action.kind === "send") await send(page, action.text);
    else if (action.kind === "click") await page.getByRole("button", { name: action.text, exact: true }).click();
    else await page.getByText(action.text).first().waitFor();
  }
  for (const other of others) {
    writeFileSync(path.join(clone, "runcast.config.ts"), other);
    await start("npm start -- --log memory", { PORT: "0", RUNCAST_KEY: "a-key-for-the-test" });
  }
  return { url, headers };
};

/** Guides use fixed ports, which may be taken here. */
const freePorts = async () => {
  const ports = new Map<string, number>();
  for (const port of ["3000", "4400", "8000"]) ports.set(port, await freePort());
  return {
    replace: (text: string): string =>
      text.replaceAll(/\b(?:3000|4400|8000)\b/g, (port) => String(ports.get(port) ?? port)),
    port: ports.get("4400")!,
  };
};

const runStep = async (command: string, cwd: string, env: NodeJS.ProcessEnv): Promise<string> => {
  // Takes minutes. test/slow/package.test.ts runs it.
  if (command === "npm install") {
    linkPackages(cwd);
    return "";
  }
  const { code, out, error } = await runCommand(command, cwd, env);
  expect(code, `${command}\n${out}${error}`).toBe(0);
  return out;
};

/** Starts a server and waits until it prints its URL. Returns a function that reads its output so far. */
export const startServer = async (command: string, cwd: string, env: NodeJS.ProcessEnv): Promise<() => string> => {
  // A group of its own, so that no process of npm outlives the test.
  const child = spawn("sh", ["-c", command], { cwd, env, detached: true }) as ChildProcessWithoutNullStreams;
  onStop(() => {
    try {
      process.kill(-child.pid!, "SIGKILL");
    } catch {
      // It has ended.
    }
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (printed += text));
  await expect.poll(() => printed, { message: command }).toMatch(/http:\/\/[\w.]+:\d+/);
  return () => printed;
};

/** Lines in this order. `…` stands for anything. */
const patternOf = (lines: readonly string[]): RegExp =>
  new RegExp(lines.map((line) => line.split("…").map(escaped).join("[^]*?")).join("[^]*?"));

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
