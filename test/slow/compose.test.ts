import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { DCLinter } from "dclint";
import { afterEach, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { createClient } from "../../src/client.ts";
import { isLogUrl } from "../../src/config/logs.ts";
import { verify } from "../../src/verify.ts";
import { root, useCommandLine } from "../command-line.ts";
import { describeWith } from "../components.ts";
import { type RedisServer, startRedis } from "../engines/redis.ts";
import { type Relay, startRelay } from "../relay.ts";

interface Service {
  readonly command: string;
  readonly build?: string;
  readonly stop_grace_period?: string;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly depends_on?: Readonly<Record<string, unknown>> | readonly string[];
  readonly volumes?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

interface LintResult {
  readonly messages: readonly { readonly rule: string; readonly message: string }[];
}

const read = (file: string) => readFileSync(path.join(root, file), "utf8");
const servicesOf = (file: string) => (parse(read(file)) as { services: Record<string, Service> }).services;

const { launch, home } = useCommandLine();

const KEY = "a-key-for-the-test";
const NAMES = ["runcast-1", "runcast-2", "runcast-3"];
const compose = servicesOf("docker-compose.yml");

/** The schema of compose files and all other rules, except about order and the project's name. */
const linter = new DCLinter({
  rules: {
    "require-project-name-field": 0,
    "service-keys-order": 0,
    "services-alphabetical-order": 0,
    "require-quotes-in-ports": [1, { quoteType: "double" }],
    // The load balancer is there to be reached from other machines, and every process requires a key.
    "no-unbound-port-interfaces": 0,
  },
  quiet: false,
  debug: false,
  exclude: [],
});
const complaints = (file: string): readonly string[] => {
  // Its type declarations cannot be resolved.
  const results = linter.lintFiles([file], false) as readonly LintResult[];
  return results.flatMap(({ messages }) => messages.map(({ rule, message }) => `${rule}: ${message}`));
};

test("the linter knows the schema of compose files", async () => {
  const broken = path.join(await home("broken"), "docker-compose.yml");
  await writeFile(broken, read("docker-compose.yml").replace("restart:", "restarts:"));
  expect(complaints(broken)).toEqual([expect.stringMatching(/^invalid-schema: .*runcast-1/)]);
});

describe.each(["docker-compose.yml", "docker-compose.postgres.yml"])("%s", (file) => {
  test("passes a linter", () => {
    expect(complaints(path.join(root, file))).toEqual([]);
  });

  const services = servicesOf(file);

  test("starts three processes that share one log", () => {
    expect(Object.keys(services).filter((name) => name.startsWith("runcast"))).toEqual(NAMES);
    for (const name of NAMES) {
      const { command, depends_on = {} } = services[name]!;
      const [, url = ""] = /^serve --host 0\.0\.0\.0 --port 4400 --log (\S+)$/.exec(command) ?? [];
      expect(isLogUrl(url), command).toBe(true);
      const [, engine = ""] = /[@/](\w+):\d+/.exec(url) ?? [];
      expect(Object.keys(services)).toContain(engine);
      expect(Object.keys(depends_on)).toContain(engine);
      expect(services[engine]!.healthcheck).toBeDefined();
    }
  });
});

test("the processes have enough time for a hand-over, and a readiness check", () => {
  for (const name of NAMES) {
    const { stop_grace_period = "", build } = compose[name]!;
    // 20 s for safe points and 15 s for the rest. See docs/operations.md.
    expect(Number.parseInt(stop_grace_period, 10)).toBeGreaterThanOrEqual(35);
    // The image has the health check.
    expect(build).toBe(".");
    expect(read("Dockerfile")).toMatch(/^HEALTHCHECK [^]*?\/ready/m);
  }
});

test("the load balancer knows exactly these processes and checks /ready", () => {
  const [file = ""] = compose["balancer"]!.volumes!.map((volume) => volume.split(":")[0]!);
  const config = read(file);
  const servers = [...config.matchAll(/^ {2}server (\S+) (\S+):(\d+) check /gm)];
  expect(servers.map(([, name, host, port]) => [name, host, port])).toEqual(NAMES.map((name) => [name, name, "4400"]));
  expect(config).toContain("uri /ready");
});

describeWith("redis-server", "the same set-up as plain processes", () => {
  let redis: RedisServer | undefined;
  let balancer: Relay | undefined;
  afterEach(async () => {
    await balancer?.close();
    await redis?.stop();
  });

  test(
    "serves runs through the load balancer, and continues when a process is killed",
    { timeout: 180_000 },
    async () => {
      const [, ...settings] = compose["redis"]!.command.split(" ");
      redis = await startRedis(...settings);
      const cwd = await home("compose");
      const env = { RUNCAST_KEY: KEY, RUNCAST_DEMO_SPEED: "20" };
      const started = NAMES.map((name) => {
        const words = compose[name]!.command.split(" ");
        const own = words.map((word) => (isLogUrl(word) ? redis!.url : word.replace(/^4400$/, "0")));
        return launch(own, { cwd, env });
      });
      const ports = await Promise.all(started.map(async (child) => Number(await portOf(child.stdout))));
      balancer = await startRelay(() => ports);
      const client = createClient({ url: balancer.url, key: KEY, backoff: () => 100 });
      const handles = NAMES.map((name) => client.start({ run: name, message: "sub-agents" }));
      started[1]!.kill("SIGKILL");
      const states = await Promise.all(handles.map(({ finished }) => finished));
      expect(states.map(({ outcome }) => outcome)).toEqual(["done", "done", "done"]);
      for (const run of NAMES) {
        const response = await fetch(`${balancer.url}/runs/${run}/export.jsonl`, {
          headers: { authorization: `Bearer ${KEY}` },
        });
        const lines = (await response.text()).trimEnd().split("\n");
        expect(verify(lines.map((line) => JSON.parse(line)))).toBeUndefined();
      }
    },
  );
});

/** The port in a server's startup output. */
const portOf = (stdout: NodeJS.ReadableStream): Promise<string> =>
  new Promise((resolve) => {
    let printed = "";
    stdout.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
      const [, port] = /http:\/\/[^\s:]+:(\d+)/.exec(printed) ?? [];
      if (port !== undefined && printed.includes("  try ")) resolve(port);
    });
  });
