import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createClient } from "../../src/client.ts";
import { ended, freePort, greeting, useCommandLine } from "../command-line.ts";
import { absent } from "../components.ts";
import { copyCheckout, freshEnvironment, linkPackages, mustRun, root } from "../packed/checkout.ts";
import { commandOf, runDockerfile, type Stage } from "../packed/dockerfile.ts";
import { startRegistry } from "../packed/registry.ts";

const dockerfile = readFileSync(path.join(root, "Dockerfile"), "utf8");
const KEY = "a-key-for-the-test";
const isLong = process.env.RUNCAST_LONG === "1";

/** What `.dockerignore` lets Docker see. It names what is allowed, so nothing else can be forgotten. */
const isInContext = (file: string): boolean => {
  const lines = readFileSync(path.join(root, ".dockerignore"), "utf8").split("\n");
  expect(lines.filter((line) => /^[^#!]/.test(line))).toEqual(["*", "**/node_modules", "**/dist"]);
  return lines.includes(`!${file.split("/")[0]}`);
};

describe("the steps of the Dockerfile, as a script", { timeout: 120_000 }, () => {
  const { run } = useCommandLine();
  const directory = mkdtempSync(path.join(tmpdir(), "runcast-docker-"));
  let registry: Awaited<ReturnType<typeof startRegistry>>;
  let image: Stage;
  let data: string;
  beforeAll(async () => {
    const context = path.join(directory, "context");
    copyCheckout(context, isInContext);
    // The image's users do not exist here.
    const tools = path.join(directory, "tools");
    mkdirSync(tools);
    writeFileSync(path.join(tools, "chown"), `#!/bin/sh\necho "$@" >>${directory}/chown.txt\n`);
    chmodSync(path.join(tools, "chown"), 0o755);
    registry = await startRegistry();
    const env = isLong
      ? freshEnvironment()
      : freshEnvironment({ npm_config_registry: registry.url }, path.join(directory, "home"));
    const PATH = `${tools}:${env["PATH"]}`;
    image = await runDockerfile(dockerfile, context, directory, async (command, cwd, stage) => {
      // Takes minutes. The short form builds with the packages of this checkout.
      if (!isLong && command === "npm install --no-audit --no-fund") return linkPackages(cwd);
      await mustRun(command, cwd, { ...env, ...stage.env, PATH });
    });
    data = path.join(image.root, image.cwd);
  }, 900_000);
  afterAll(() => {
    registry?.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const start = (env: Record<string, string>) => {
    const [program, ...args] = commandOf(image, [...image.entrypoint, ...image.command]);
    expect(program).toBe("node");
    return run(args, { cwd: data, env: { ...image.env, ...env } });
  };

  test("give an image with a pinned Node.js, without root rights, whose data belongs to its user", () => {
    expect(image.image).toMatch(/^node:\d+-slim$/);
    expect([image.user, image.cwd]).toEqual(["node", "/app/data"]);
    expect(readFileSync(path.join(directory, "chown.txt"), "utf8")).toBe("node:node data\n");
  });

  test("without a key, its server does not start", async () => {
    const { code, error } = await ended(start({}));
    expect([code, error]).toEqual([1, expect.stringContaining("needs a key: set RUNCAST_KEY")]);
  });

  test("its server has the page, reads a configuration, is healthy, and stops when Docker asks", async () => {
    writeFileSync(
      path.join(data, "runcast.config.ts"),
      `import { agent, defineConfig, demo, defineTool } from "runcast";
      import { z } from "zod";
      import "redis";
      import "pg";
      const roll = defineTool({ name: "roll", description: "Rolls.", input: z.object({}), run: () => 4 });
      export default defineConfig({ agents: { dice: agent({ model: demo({ speed: 50 }), tools: [roll] }) } });`,
    );
    const port = await freePort();
    const child = start({ RUNCAST_KEY: KEY, PORT: `${port}` });
    await greeting(child);
    const url = `http://127.0.0.1:${port}`;
    expect(await (await fetch(url)).text()).toContain("<title>Runcast</title>");
    expect((await fetch(`${url}/runs`)).status).toBe(401);
    const handle = createClient({ url, key: KEY }).start({ message: "Use roll" });
    expect(await handle.finished).toMatchObject({ outcome: "done" });

    const isHealthy = () => {
      const [program = "", ...args] = image.healthCheck;
      const env = freshEnvironment({ PORT: `${port}` });
      return spawnSync(program, args, { env }).status === 0;
    };
    expect(isHealthy()).toBe(true);
    child.kill("SIGTERM");
    expect((await ended(child)).code).toBe(0);
    expect(isHealthy()).toBe(false);
  });
});

const hasDocker = spawnSync("docker", ["info"], { stdio: "ignore" }).status === 0;
if (hasDocker && isLong)
  test("Docker builds the image and runs it", { timeout: 900_000 }, async () => {
    const docker = (...args: string[]) => execFileSync("docker", args, { cwd: root, encoding: "utf8" }).trim();
    const built = docker("build", "--quiet", ".");
    const container = docker("run", "--detach", "--init", "--env", `RUNCAST_KEY=${KEY}`, built);
    try {
      const health = () => docker("inspect", "--format", "{{.State.Health.Status}}", container);
      await expect.poll(health, { timeout: 60_000 }).toBe("healthy");
      docker("stop", "--time", "40", container);
      expect(docker("inspect", "--format", "{{.State.ExitCode}}", container)).toBe("0");
    } finally {
      docker("rm", "--force", "--volumes", container);
      docker("rmi", built);
    }
  });
else
  absent("Docker builds the image and runs it", hasDocker ? "only in the long form" : "Docker is not running", {
    isRequired: false,
  });
