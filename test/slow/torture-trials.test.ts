import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { agUi } from "../../src/dialects/ag-ui.ts";
import { aiSdk } from "../../src/dialects/ai-sdk.ts";
import { copilotkit } from "../../src/dialects/copilotkit.ts";
import { native } from "../../src/dialects/native.ts";
import { drivers, torture, tortureAgent, trials } from "../../src/torture.ts";
import { freePort } from "../engines/redis.ts";
import { onStop, serve } from "../serving.ts";
import { serveCommand } from "../torture/serve-command.ts";

const seed = Number(process.env.RUNCAST_SEED ?? Date.now() % 100_000);
const KILLS = ["server-killed", "approval-after-restart"];

/** Separate tests, so that a mutant in `scripts/mutants/torture.ts` can break one promise and run only the trial that must notice. */
test.each(trials)("trial $name", { timeout: 120_000 }, async ({ name }) => {
  const options = KILLS.includes(name) ? await inAnotherProcess() : await inMemory();
  const driver = drivers["native"]!({ url: options.url });
  for await (const { verdict, because, evidence } of torture({ ...options, driver, seed, isShort: true, only: [name] }))
    expect({ verdict, because, seed }, JSON.stringify(evidence)).toMatchObject({ verdict: "yes" });
});

const OTHERS = [
  ["ai-sdk", aiSdk.routes[0]!.path, "yes"],
  ["ag-ui", agUi.routes[0]!.path, "no: AG-UI's HttpAgent cannot resume a broken stream"],
  ["copilotkit", "/copilotkit", "yes"],
] as const;

test("the other protocols are all the drivers but the native one", () => {
  expect(["native", ...OTHERS.map(([name]) => name)]).toEqual(Object.keys(drivers));
});

test.each(OTHERS)("Runcast's own endpoint for %s, at %s", { timeout: 120_000 }, async (name, at, cut) => {
  const { url, stagePort } = await inMemory();
  const driver = drivers[name]!({ url: url + at });
  const only = ["parallel-tools", "cut-anywhere"];
  const found: Record<string, string> = {};
  for await (const { trial, verdict, because } of torture({ url, stagePort, driver, seed, isShort: true, only }))
    found[trial] = verdict === "yes" ? verdict : `${verdict}: ${because}`;
  expect(found).toEqual({ "parallel-tools": "yes", "cut-anywhere": cut });
});

const inMemory = async () => {
  const stagePort = await freePort();
  const dialects = [native, aiSdk, agUi, copilotkit];
  const { url } = await serve(tortureAgent(`http://127.0.0.1:${stagePort}`), { dialects });
  return { url, stagePort };
};

const inAnotherProcess = async () => {
  const directory = await mkdtemp(path.join(tmpdir(), "runcast-torture-"));
  onStop(() => rm(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));
  const port = await freePort();
  return { url: `http://127.0.0.1:${port}`, command: serveCommand(directory, port, "sqlite") };
};
