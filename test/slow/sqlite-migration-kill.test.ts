import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { sqlite } from "../../src/logs/sqlite.ts";

const VERSION_1 = readFileSync(new URL("../fixtures/sqlite-1.sql", import.meta.url), "utf8");
const RUNS = 4000;
const MAX_KILLS = 200;
const MIN_KILLS = 3;

test("a kill at any moment of a migration leaves a file that opens", { timeout: 300_000 }, async () => {
  const directory = await mkdtemp(path.join(tmpdir(), "runcast-migration-"));
  const file = path.join(directory, "log.db");
  const withDatabase = <Result>(work: (database: DatabaseSync) => Result): Result => {
    const database = new DatabaseSync(file);
    try {
      return work(database);
    } finally {
      database.close();
    }
  };
  const versionOf = () => withDatabase((it) => Number(it.prepare("PRAGMA user_version").get()!.user_version));
  withDatabase((it) =>
    it.exec(`${VERSION_1}
      WITH RECURSIVE copy (n) AS (SELECT 100 UNION ALL SELECT n + 1 FROM copy WHERE n < ${99 + RUNS})
        INSERT INTO runs (number, run, name, seq, startedAt, endedAt) SELECT n, 'copy-' || n, 'demo', 72, 0, 1 FROM copy;
      INSERT INTO segments (number, first, last, body)
        SELECT runs.number, 1, 72, body FROM runs, segments WHERE runs.number >= 100 AND segments.number = 2`),
  );
  await copyFile(file, `${file}.1`);
  const program = `const { sqlite } = await import(${JSON.stringify(fileURLToPath(new URL("../../src/logs/sqlite.ts", import.meta.url)))});
    process.stdout.write("opening\\n", () => sqlite({ directory: ${JSON.stringify(directory)} }));`;
  /** Kills a process this long after it begins to open the file. */
  const killAfter = async (ms: number) => {
    const child = spawn(process.execPath, ["--no-warnings", "--input-type=module", "-e", program], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const exited = once(child, "exit");
    await once(child.stdout, "data");
    await new Promise((resolve) => setTimeout(resolve, ms));
    child.kill("SIGKILL");
    await exited;
  };

  let kills = 0;
  let tries = 0;
  for (; kills < MAX_KILLS && versionOf() === 1; kills++) {
    await killAfter(kills * 10);
    const complete = withDatabase((it) => {
      const columns = it
        .prepare("SELECT name FROM pragma_table_info('runs')")
        .all()
        .map(({ name }) => name);
      return { isNew: columns.includes("agent"), runs: it.prepare("SELECT count(*) AS n FROM runs").get()!.n };
    });
    expect(complete).toEqual({ isNew: versionOf() === 3, runs: RUNS + 5 });
    // On a busy machine, a kill can come too late: begin again.
    if (complete.isNew && kills + 1 < MIN_KILLS && ++tries < 10) {
      for (const end of ["-wal", "-shm"]) await rm(`${file}${end}`, { force: true });
      await copyFile(`${file}.1`, file);
      kills = -1;
    }
  }
  expect(kills, "no kill hit the migration: give it more to do").toBeGreaterThanOrEqual(MIN_KILLS);
  console.log(`${kills - 1} kills before or in the midst of a migration of ${RUNS} runs`);
  const log = sqlite({ directory });
  expect(await log.info("copy-4099")).toMatchObject({ user: "grace", seq: 72 });
  expect(await log.read("everything", 0, 1000)).toHaveLength(279);
  await log.close();
  await rm(directory, { recursive: true, force: true });
});
