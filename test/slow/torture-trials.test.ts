import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
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

const inMemory = async () => {
  const stagePort = await freePort();
  const { url } = await serve(tortureAgent(`http://127.0.0.1:${stagePort}`));
  return { url, stagePort };
};

const inAnotherProcess = async () => {
  const directory = await mkdtemp(path.join(tmpdir(), "runcast-torture-"));
  onStop(() => rm(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));
  const port = await freePort();
  return { url: `http://127.0.0.1:${port}`, command: serveCommand(directory, port, "sqlite") };
};
