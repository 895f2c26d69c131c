import { once } from "node:events";
import path from "node:path";
import type { Page } from "playwright-core";
import { afterEach, expect, test } from "vitest";
import { describeInBrowser, ended, send } from "../browsing.ts";
import { useCommandLine } from "../command-line.ts";
import { describeWith } from "../components.ts";
import { startRedis } from "../engines/redis.ts";
import { startRelay } from "../relay.ts";

/** Takes a screenshot of docs/operations.md, if requested with RUNCAST_PICTURES=1. */
const picture = async (page: Page, name: string): Promise<void> => {
  if (process.env.RUNCAST_PICTURES !== "1") return;
  const folder = path.join(import.meta.dirname, "../../docs/pictures/operations");
  await page.screenshot({ path: path.join(folder, `${name}.png`), animations: "disabled" });
};

/** How many runs a process works on. */
const activeRuns = async (url: string): Promise<number> => {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  return [...metrics.matchAll(/^runcast_runs\{[^}]*\} (\d+)$/gm)].reduce((sum, [, count]) => sum + Number(count), 0);
};

describeWith("redis-server", "two processes with one Redis", () => {
  describeInBrowser("a process is killed during a run", ({ open }) => {
    const { serve } = useCommandLine();
    const stops: (() => Promise<unknown>)[] = [];
    afterEach(async () => {
      for (const stop of stops.splice(0).toReversed()) await stop();
    });

    test("the page continues the run in the other process and shows everything once", async () => {
      const redis = await startRedis();
      stops.push(() => redis.stop());
      const options = { env: { RUNCAST_DEMO_SPEED: "1" } };
      const processes = [await serve(["--log", redis.url], options), await serve(["--log", redis.url], options)];
      const alive = new Set(processes);
      const balancer = await startRelay(() => [...alive].map(({ url }) => Number(new URL(url).port)));
      stops.push(() => balancer.close());
      const page = await open(`http://127.0.0.1:${balancer.port}`, { viewport: { width: 1000, height: 640 } });
      await send(page, "sub-agents");
      await page.getByText("search_notes", { exact: true }).nth(2).waitFor();

      const counts = await Promise.all(processes.map(({ url }) => activeRuns(url)));
      expect(counts.toSorted((one, other) => one - other)).toEqual([0, 1]);
      const owner = processes[counts.indexOf(1)]!;
      alive.delete(owner);
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
