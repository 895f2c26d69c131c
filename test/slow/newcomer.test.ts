import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { agents, commandOf, homeOf } from "../../scripts/install-agents/agents.ts";
import { pythonAgents, pythonOf } from "../../scripts/install-agents/python-agents.ts";
import { startProvider } from "../acp/agents/provider.ts";
import { setUps } from "../acp/agents/setups.ts";
import { describeInBrowser } from "../browsing.ts";
import { freePort } from "../command-line.ts";
import { absent } from "../components.ts";
import { agentRows, guidePath, onlyAgent } from "../newcomer/guide.ts";
import { standIn, standInRuncast, temporary } from "../newcomer/installed.ts";
import { freshEnvironment, mustRun } from "../packed/checkout.ts";
import { usePacked } from "../packed/pack.ts";
import { walk } from "../packed/walk.ts";
import { onStop } from "../serving.ts";

const isLong = process.env.RUNCAST_LONG === "1";
const ANSWER = "Hello! I am a scripted model.";

/** The sections with numbered steps, and the agent of the configuration that the walk connects. */
const FRAMEWORKS = [
  { heading: "PydanticAI, and any other AG-UI server", component: "pydantic-ai", agent: "pydantic", usualPort: 8000 },
  { heading: "Agno", component: "agno", agent: "support", usualPort: 8000 },
  { heading: "LangGraph and deepagents", component: "langgraph", agent: "research", usualPort: 2024 },
] as const;
const CODING = "Coding agents";

describe("the steps of docs/agents.md", () => {
  test.each([CODING, ...FRAMEWORKS.map(({ heading }) => heading)])("%s: the stated numbers are right", (heading) => {
    const { steps, stated } = guidePath(heading);
    expect(stated.toPage).toBe(steps.findIndex(({ text }) => text.startsWith("Open http://127.0.0.1:4400")) + 1);
    expect(steps).toHaveLength(stated.toPage + stated.toOpenWebUi);
    // test/slow/guides.test.ts follows that guide.
    expect(steps.at(-1)!.text).toMatch(/^In Open WebUI, \[add a connection\]\(guides\/open-webui\.md\)/);
  });

  test("each package of a coding agent provides the command that the guide starts", () => {
    const rows = agentRows();
    expect(rows.map((row) => row.package).toSorted()).toEqual(agents.map((agent) => agent.package).toSorted());
    for (const row of rows) {
      const agent = agents.find((one) => one.package === row.package)!;
      const [name, ...args] = row.command.split(" ");
      expect(agent.args).toEqual(args);
      if (!commandOf(agent)) continue;
      const manifest = path.join(homeOf(agent), "node_modules", agent.package, "package.json");
      expect(Object.keys((JSON.parse(readFileSync(manifest, "utf8")) as { bin: object }).bin)).toContain(name);
    }
  });
});

describeInBrowser("a newcomer, from the first step to the page and Open WebUI", ({ open }) => {
  // Packing takes a minute. In the short form, a script that runs this checkout stands for the installed package.
  const packed = isLong ? usePacked() : undefined;

  const prepare = async (agent: string) => {
    const [cwd, bin] = [temporary(agent), temporary("bin")];
    const provider = await startProvider(cwd);
    onStop(provider.close);
    if (!packed) standInRuncast(cwd);
    const environment = (first: string, own: Readonly<Record<string, string>>) => {
      const base = packed?.environment() ?? freshEnvironment({}, cwd);
      return { ...base, ...own, PATH: [bin, first, base["PATH"]].join(path.delimiter) };
    };
    return { cwd, bin, provider, environment };
  };

  /** Follows the steps in order. */
  const follow = async (
    { heading, agent, usualPort }: { readonly heading: string; readonly agent: string; readonly usualPort?: number },
    cwd: string,
    given: NodeJS.ProcessEnv,
  ) => {
    let env = given;
    const { configuration, steps } = guidePath(heading);
    const documented = Number(/http:\/\/127\.0\.0\.1:(\d+)/.exec(configuration)?.[1]);
    const port = await freePort();
    const own = onlyAgent(configuration, agent)
      .replaceAll(`:${documented}`, `:${port}`)
      .replace("/home/me/project", cwd);
    for (const { variables, files, isConfiguration, commands } of steps) {
      for (const variable of variables) expect(env).toHaveProperty(variable);
      for (const { name, content } of files) writeFileSync(path.join(cwd, name), content);
      if (isConfiguration) writeFileSync(path.join(cwd, "runcast.config.ts"), own);
      for (const command of commands) {
        const [program] = command.split(" ");
        if (program === "pip") env = { ...env, ...(await afterPip(command, cwd, env)) };
        else if (command !== "npx runcast serve") {
          expect(Number(/ --port (\d+)/.exec(command)?.[1] ?? usualPort)).toBe(documented);
          await startServer(`${command.replace(/ --port \d+/, "")} --port ${port}`, port, cwd, env);
        }
      }
    }
    expect(steps.flatMap(({ commands }) => commands).at(-1)).toBe("npx runcast serve");
    const { url, page } = await walk(heading, { commands: ["npx runcast serve"], cwd, env, open, answer: ANSWER });
    await page.close();
    await expectModel(url, agent);
  };

  for (const framework of FRAMEWORKS) {
    const { heading, component, agent } = framework;
    const python = pythonOf(pythonAgents.find(({ name }) => name === component)!);
    if (!python) {
      absent(heading, `not installed: npm run agents -- ${component}`);
      continue;
    }
    test(heading, { timeout: 180_000 }, async () => {
      const { cwd, provider, environment } = await prepare(agent);
      const env = environment(path.dirname(python), {
        OPENAI_API_KEY: "none",
        OPENAI_BASE_URL: `${provider.url}/v1`,
        ANTHROPIC_API_KEY: "none",
        ANTHROPIC_BASE_URL: provider.url,
        LANGSMITH_TRACING: "false",
        LANGGRAPH_CLI_NO_ANALYTICS: "1",
      });
      await follow(framework, cwd, env);
    });
  }

  for (const agent of agents) {
    const { name } = agent;
    const command = commandOf(agent);
    if (!command || !isLong) {
      const reason = command ? "only with npm run test:long" : `not installed: npm run agents -- ${name}`;
      absent(`${CODING}: ${name}`, reason, { isRequired: false });
      continue;
    }
    test(`${CODING}: ${name}`, { timeout: 180_000 }, async () => {
      const { cwd, bin, provider, environment } = await prepare(name);
      const [, program = ""] = new RegExp(`${name}: acp\\(\\{ command: \\["([^"]+)"`).exec(
        guidePath(CODING).configuration,
      )!;
      // Stands for the program after its login, which the scripted model cannot do.
      const home = temporary("home");
      const own = command.slice(0, command.length - agent.args.length);
      standIn(bin, program, own, { HOME: home, ...setUps[name]!(home, provider.url, cwd) });
      await follow({ heading: CODING, agent: name }, cwd, environment(bin, {}));
    });
  }
});

/** The packages are installed already, perhaps with more: hides what the guide's command would not install. */
const afterPip = async (command: string, cwd: string, env: NodeJS.ProcessEnv): Promise<NodeJS.ProcessEnv> => {
  const directory = path.join(import.meta.dirname, "../newcomer");
  const [, packages] = /^pip install ([^;&|$]+)$/.exec(command)!;
  const hidden = await mustRun(`python ${path.join(directory, "outside.py")} ${packages}`, cwd, env);
  return {
    PYTHONPATH: path.join(directory, "only"),
    PYTHONDONTWRITEBYTECODE: "1",
    HIDDEN_MODULES: hidden.trim().split("\n").join(","),
  };
};

/** Starts a server with the guide's command. It is stopped after the test. */
const startServer = async (command: string, port: number, cwd: string, env: NodeJS.ProcessEnv): Promise<void> => {
  const child = spawn("sh", ["-c", command], { cwd, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (printed = (printed + text).slice(-4000)));
  onStop(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    process.kill(-child.pid!, "SIGKILL");
    await once(child, "exit");
  });
  const answers = () =>
    fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    );
  while (!(await answers())) {
    if (child.exitCode !== null) throw new Error(`${command} ended with ${child.exitCode}:\n${printed}`);
    await sleep(100);
  }
};

/** What Open WebUI asks of a connection: the list of models, and a chat with one of them. */
const expectModel = async (url: string, agent: string): Promise<void> => {
  const base = `${url}/open-webui/v1`;
  const { data } = (await (await fetch(`${base}/models`)).json()) as { data: { id: string }[] };
  expect(data.map(({ id }) => id)).toEqual([agent]);
  const response = await fetch(`${base}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: agent, stream: true, messages: [{ role: "user", content: "Hello" }] }),
  });
  const deltas = [...(await response.text()).matchAll(/^data: (\{.*"delta":.*)$/gm)].map(
    ([, line]) => (JSON.parse(line!) as { delta?: unknown }).delta,
  );
  expect(deltas.filter((delta) => typeof delta === "string").join("")).toContain(ANSWER);
};
