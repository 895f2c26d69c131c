import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { createClient } from "../../src/client.ts";
import { text } from "../acp/scripted.ts";
import { freePort } from "../command-line.ts";
import { freshClone, startServer } from "../guides/walk.ts";
import { standIn, temporary } from "../newcomer/installed.ts";
import { freshEnvironment, linkPackages, mustRun, root } from "../packed/checkout.ts";

const readme = readFileSync(path.join(root, "README.md"), "utf8");
const blocks = [...readme.matchAll(/^```(\w*)\n([^]*?)^```$/gm)].map(({ 1: kind, 2: code, 0: all, index }) => ({
  kind: kind!,
  code: code!,
  after: readme.slice(index + all.length).split("\n## ")[0]!,
}));
const commands = blocks.filter(({ kind }) => kind === "sh").flatMap(({ code }) => code.trim().split("\n"));

/** test/slow/package.test.ts runs these. */
const ELSEWHERE = ["npm install", "npm start", "ANTHROPIC_API_KEY=… npm start"];

/** Starts a server with `npm start`, in a fresh clone with this configuration. */
const started = async (config?: string, own: Readonly<Record<string, string>> = {}) => {
  const clone = freshClone();
  linkPackages(clone);
  if (config !== undefined) writeFileSync(path.join(clone, "runcast.config.ts"), config);
  const port = `${await freePort()}`;
  const env = freshEnvironment({ PORT: port, RUNCAST_MODEL: "demo", RUNCAST_DEMO_SPEED: "50", ...own });
  await startServer("npm start", clone, env);
  return { clone, env, port, url: `http://127.0.0.1:${port}` };
};

test("the commands of README.md show a run, with the events that it quotes", { timeout: 120_000 }, async () => {
  const { clone, env, port } = await started();
  const run = (command: string) => mustRun(command.replaceAll("4400", port), clone, env);
  const [watch, curl, ...others] = commands.filter((command) => !ELSEWHERE.includes(command));
  expect(others).toEqual([]);
  expect(await run(watch!)).toContain("All three are back");
  const [output] = blocks.filter(({ kind }) => kind === "").map(({ code }) => code.trim());
  const withoutTimes = (events: string) => events.replaceAll(/"at":\d+/g, '"at":0');
  expect(withoutTimes(await run(curl!))).toContain(withoutTimes(output!));
});

/** What stands for the programs that a reader downloads, and what the agent of each configuration answers. */
const AGENTS: Readonly<Record<string, { readonly program?: readonly [string, ...string[]]; readonly answer: RegExp }>> =
  {
    dice: { answer: /The tool returned: \[\d/ },
    helper: {
      program: ["npx", "sh", "-c", 'file="node_modules/$2/dist/index.js"; shift 2; exec node "$file" "$@"', "npx"],
      answer: /The tool returned: Allowed directories:/,
    },
    claude: {
      program: [
        "claude-agent-acp",
        process.execPath,
        "--disable-warning=ExperimentalWarning",
        path.join(root, "test/fixtures/acp-agent.ts"),
        JSON.stringify({ turn: [text("I am ready."), { stop: "end_turn" }] }),
      ],
      answer: /I am ready\./,
    },
  };

const configurations = blocks.filter(({ code }) => code.startsWith("// runcast.config.ts\n"));

test("README.md has a configuration for each of these agents, and no others", () => {
  const named = configurations.map(({ code }) => /agents: \{ (\w+):/.exec(code)?.[1]);
  expect(named).toEqual(Object.keys(AGENTS));
  expect(blocks.filter(({ kind }) => kind !== "sh" && kind !== "")).toEqual(configurations);
});

test.each(Object.entries(AGENTS))(
  "the configuration of README.md with the agent %s works",
  { timeout: 120_000 },
  async (name, { program, answer }) => {
    const { code, after } = configurations.find((one) => one.code.includes(`agents: { ${name}:`))!;
    const bin = temporary("bin");
    const [command, ...rest] = program ?? [];
    if (command !== undefined) standIn(bin, command, rest);
    const { PATH = "" } = freshEnvironment();
    const { url } = await started(code, { PATH: [bin, PATH].join(path.delimiter) });
    const [, message = "Hello"] = /(?:send|Try) `([^`]+)`/.exec(after) ?? [];
    const run = createClient({ url }).start({ message });
    let answered = "";
    for await (const { event } of run.entries()) if (event.type === "text-delta") answered += event.delta;
    expect(answered).toMatch(answer);
    expect((await run.finished).outcome).toBe("done");
  },
);
