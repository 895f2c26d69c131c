// npm run bench: measures every server and client under test, round by round, and writes one table and one JSON file.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { ClientAnswers } from "./client.ts";
import { clients, clientScenarios } from "./client-scenarios.ts";
import type { ClientName } from "./client-scenarios.ts";
import { install } from "./install.ts";
import type { LoadAnswers } from "./load.ts";
import { measure } from "./measure.ts";
import type { Metrics } from "./measure.ts";
import { canPin, openFiles, start } from "./pinned.ts";
import { startPostgres } from "./postgres.ts";
import { startRedis } from "./redis.ts";
import { judge } from "./run/judge.ts";
import type { Sample } from "./run/judge.ts";
import { table } from "./run/table.ts";
import { scenarios } from "./scenarios.ts";
import { guard, rows } from "./targets.ts";
import type { Variant, VariantName } from "./variants.ts";
import { variants } from "./variants.ts";

const EXIT = { met: 0, missed: 1, usage: 2, void: 3 } as const;
const USAGE = `npm run bench -- [--quick] [--rounds N] [--only name,…]
  --quick    one small round, to see that everything runs; its figures mean nothing
  --rounds   how many interleaved rounds (default 5)
  --only     scenarios and variants to measure, by name; raw is always there to compare with`;

const { quick, rounds, only } = readArguments();
install();
process.exitCode = await main();

async function main(): Promise<number> {
  const startedAt = Date.now();
  const notes = quick ? ["quick: shows that everything runs; the figures mean nothing"] : [];
  if (!quick && rounds < 5) notes.push("fewer than five rounds: medians are unreliable");
  if (!canPin) notes.push("taskset is not installed: server and load client share the cores, figures are noisier");
  if (os.loadavg()[0]! > 0.7) notes.push(`the machine is busy (load ${os.loadavg()[0]!.toFixed(1)})`);
  const redis = await startRedis();
  if (!redis) notes.push("redis-server is absent: runcast-redis and resumable-stream are not measured");
  const postgres = await startPostgres();
  if (!postgres) notes.push("postgres is absent: runcast-postgres is not measured");
  const directory = mkdtempSync(path.join(os.tmpdir(), "runcast-bench-"));
  process.on("exit", () => rmSync(directory, { recursive: true, force: true }));
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(EXIT.missed));
  const env = {
    BENCH_DIRECTORY: directory,
    ...(redis && { REDIS_URL: redis.url }),
    ...(postgres && { POSTGRES_URL: postgres.url }),
  };
  const engines = { redis, postgres };
  const load = start<LoadAnswers>("./load.ts", { core: 1 });
  const samples: Sample[] = [];

  const take = async (sample: Omit<Sample, "ms" | "metrics" | "error">, work: () => Promise<Metrics>) => {
    const { round, scenario, variant } = sample;
    const begunAt = performance.now();
    const ms = () => Math.round(performance.now() - begunAt);
    try {
      const metrics = await work();
      samples.push({ ...sample, ms: ms(), metrics });
    } catch (error) {
      const message = (error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, " ").slice(0, 300);
      samples.push({ ...sample, ms: ms(), error: message });
      console.log(`  ${scenario} ${variant}, round ${round}: ${message}`);
    }
  };

  const serverRound = async (round: number) => {
    for (const scenario of wanted(scenarios({ quick }))) {
      if (round > (scenario.rounds ?? rounds)) continue;
      if (openFiles() < scenario.plan.streams + 100) {
        const note = `${scenario.name}: needs ${scenario.plan.streams + 100} open files, the limit is ${openFiles()}`;
        if (!notes.includes(note)) notes.push(note);
        continue;
      }
      // Rotate the order each round, so that no server always follows the same one.
      for (const variant of rotate(scenario.variants.filter(isWanted), round)) {
        const { needs }: Variant = variants[variant];
        if (needs && !engines[needs]) continue;
        await take({ round, scenario: scenario.name, variant }, () => measure({ load, env, quick }, scenario, variant));
      }
    }
  };

  const clientRound = async (round: number) => {
    for (const scenario of wanted(clientScenarios({ quick }))) {
      if (round > (scenario.rounds ?? rounds)) continue;
      for (const variant of rotate(scenario.clients.filter(isWanted), round)) {
        await take({ round, scenario: scenario.name, variant }, () => measureClient(variant, scenario.order));
      }
    }
  };

  try {
    for (let round = 1; round <= rounds; round++) {
      console.log(`round ${round} of ${rounds}`);
      await serverRound(round);
      await clientRound(round);
    }
  } finally {
    await load.stop();
    redis?.stop();
    postgres?.stop();
  }

  const verdict = judge(samples, rows, guard);
  const seconds = Math.round((Date.now() - startedAt) / 1000);
  console.log(`\n${table(verdict.lines)}\n`);
  for (const note of notes) console.log(`note: ${note}`);
  const file = save({ ...about(), seconds, quick, rounds, notes, ...verdict, samples });
  const { met, missed, unmeasured, errors } = verdict.counts;
  console.log(
    `${met} targets met, ${missed} missed, ${unmeasured} not measured, ${errors} errors; ${seconds} s; ${file}`,
  );
  if (quick) return errors > 0 ? EXIT.missed : EXIT.met;
  if (verdict.void) {
    console.log(`VOID: raw against raw is ${verdict.void}; discard this run and repeat it on a quieter machine`);
    return EXIT.void;
  }
  return missed > 0 || errors > 0 ? EXIT.missed : EXIT.met;
}

async function measureClient(name: ClientName, order: { readonly do: keyof ClientAnswers & string }): Promise<Metrics> {
  const client = start<ClientAnswers>("./client.ts", { args: [clients[name]], core: 0 });
  try {
    const answer: Metrics = { ...(await client.ask(order, 300_000)) };
    return answer["ns"] === undefined ? answer : { ...answer, rate: 1e9 / answer["ns"] };
  } finally {
    await client.stop();
  }
}

/** The named scenarios, or all if none was named. */
function wanted<Item extends { readonly name: string }>(all: readonly Item[]): readonly Item[] {
  const isNamed = ({ name }: { readonly name: string }) => only.includes(name);
  const some = [...scenarios({ quick }), ...clientScenarios({ quick })].some(isNamed);
  return some ? all.filter(isNamed) : all;
}

function isWanted(name: VariantName | ClientName): boolean {
  const known = [...Object.keys(variants), ...Object.keys(clients)].filter((variant) => only.includes(variant));
  return known.length === 0 || known.includes(name) || name.startsWith("raw") || name === "hand";
}

function rotate<Item>(items: readonly Item[], by: number): readonly Item[] {
  const at = by % Math.max(1, items.length);
  return [...items.slice(at), ...items.slice(0, at)];
}

function save(result: object): string {
  const results = fileURLToPath(new URL("results/", import.meta.url));
  mkdirSync(results, { recursive: true });
  const file = path.join(results, `${new Date().toISOString().replaceAll(":", "-").slice(0, 19)}.json`);
  writeFileSync(file, JSON.stringify(result, undefined, 2));
  return path.relative(process.cwd(), file);
}

function about() {
  const manifest = JSON.parse(readFileSync(new URL("package.json", import.meta.url), "utf8")) as {
    dependencies: Record<string, string>;
  };
  return {
    at: new Date().toISOString(),
    node: process.version,
    machine: { platform: process.platform, arch: process.arch, cores: os.cpus().length, cpu: os.cpus()[0]?.model },
    pinned: canPin,
    peers: manifest.dependencies,
  };
}

function readArguments() {
  try {
    const { values } = parseArgs({
      options: {
        quick: { type: "boolean", default: false },
        rounds: { type: "string" },
        only: { type: "string", default: "" },
        help: { type: "boolean", default: false },
      },
    });
    const count = Number(values.rounds ?? (values.quick ? 1 : 5));
    if (!Number.isInteger(count) || count < 1) throw new Error("--rounds takes a whole number from 1");
    const names = values.only.split(",").filter(Boolean);
    const known = [...scenarios({ quick: false }), ...clientScenarios({ quick: false })].map(({ name }) => name);
    const all = new Set([...known, ...Object.keys(variants), ...Object.keys(clients)]);
    const unknown = names.find((name) => !all.has(name));
    if (unknown) throw new Error(`--only: unknown name ${unknown}; use ${[...all].join(" ")}`);
    if (values.help) {
      console.log(USAGE);
      process.exit(EXIT.met);
    }
    return { quick: values.quick, rounds: count, only: names };
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`);
    process.exit(EXIT.usage);
  }
}
