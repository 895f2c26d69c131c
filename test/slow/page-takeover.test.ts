import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import type { Page } from "playwright-core";
import { afterEach, expect, test, vi } from "vitest";
import { describeInBrowser, ended, send } from "../browsing.ts";
import { freePort, root, useCommandLine } from "../command-line.ts";
import { describeWith, findProgram } from "../components.ts";
import { startRedis } from "../engines/redis.ts";
import { startRelay } from "../relay.ts";

/** Takes a screenshot of docs/operations.md, if requested with RUNCAST_PICTURES=1. */
const picture = async (page: Page, name: string): Promise<void> => {
  if (process.env.RUNCAST_PICTURES !== "1") return;
  const folder = path.join(root, "docs/pictures/operations");
  await page.screenshot({ path: path.join(folder, `${name}.png`), animations: "disabled" });
};

/** How many runs a process works on. */
const activeRuns = async (url: string): Promise<number> => {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  return [...metrics.matchAll(/^runcast_runs\{[^}]*\} (\d+)$/gm)].reduce((sum, [, count]) => sum + Number(count), 0);
};

const config = readFileSync(path.join(root, "docs/haproxy-local.cfg"), "utf8");
/** The ports of the processes that the load balancer knows. */
const servers = [...config.matchAll(/^ {2}server \S+ 127\.0\.0\.1:(\d+) check /gm)].map(([, port]) => port!);

test("the load balancer of docs/operations.md knows exactly the processes that the page starts with Redis", () => {
  const text = readFileSync(path.join(root, "docs/operations.md"), "utf8");
  const started = [...text.matchAll(/^runcast serve --port (\d+) --log redis:/gm)].map(([, port]) => port);
  expect(started).toHaveLength(2);
  expect(servers).toEqual(started);
  expect(config).toContain("uri /ready");
  expect(text).toContain("haproxy -f docs/haproxy-local.cfg");
  const [, address] = /^ {2}bind 127\.0\.0\.1:(\d+)$/m.exec(config) ?? [];
  expect(text).toContain(`http://localhost:${address}`);
});

describeWith("redis-server", "two processes with one Redis", () => {
  describeInBrowser("a process is killed during a run", ({ open }) => {
    const { serve, home } = useCommandLine();
    const stops: (() => Promise<unknown>)[] = [];
    afterEach(async () => {
      for (const stop of stops.splice(0).toReversed()) await stop();
    });

    /**
     * The load balancer of docs/operations.md for these processes, on free ports. Where HAProxy is not installed, a
     * relay that tries the same processes in turn.
     */
    const balance = async (urls: readonly string[]): Promise<string> => {
      const ports = urls.map((url) => new URL(url).port);
      const haproxy = findProgram("haproxy");
      if (!haproxy) {
        const relay = await startRelay(() => ports.map(Number));
        stops.push(() => relay.close());
        return relay.url;
      }
      const port = await freePort();
      const file = path.join(await home("balancer"), "haproxy.cfg");
      const moved = config
        .replace(/(bind \S+):\d+/, `$1:${port}`)
        .replaceAll(
          /(server \S+ 127\.0\.0\.1):(\d+)/g,
          (_, server, known) => `${server}:${ports[servers.indexOf(known)]}`,
        );
      await writeFile(file, moved);
      const child = spawn(haproxy, ["-f", file], { stdio: "ignore" });
      stops.push(async () => {
        const gone = once(child, "exit");
        if (child.kill("SIGKILL")) await gone;
      });
      const url = `http://127.0.0.1:${port}`;
      await vi.waitFor(async () => expect((await fetch(`${url}/ready`)).status).toBe(200), 20_000);
      return url;
    };

    test("the page continues the run in the other process and shows everything once", async () => {
      const redis = await startRedis();
      stops.push(() => redis.stop());
      const options = { env: { RUNCAST_DEMO_SPEED: "1" } };
      const processes = [await serve(["--log", redis.url], options), await serve(["--log", redis.url], options)];
      const url = await balance(processes.map((each) => each.url));
      const page = await open(url, { viewport: { width: 1000, height: 640 } });
      await send(page, "sub-agents");
      await page.getByText("search_notes", { exact: true }).nth(2).waitFor();

      const counts = await Promise.all(processes.map(({ url }) => activeRuns(url)));
      expect(counts.toSorted((one, other) => one - other)).toEqual([0, 1]);
      const owner = processes[counts.indexOf(1)]!;
      owner.child.kill("SIGKILL");
      await once(owner.child, "exit");

      await page.locator("[data-resume]").first().waitFor({ timeout: 30_000 });
      await ended(page, "done");
      expect(await page.locator('[data-kind="agent"]').count()).toBe(3);
      expect(await page.locator("article").getByText("All three are back").count()).toBe(1);
      await picture(page, "after");
    });
  });
});
