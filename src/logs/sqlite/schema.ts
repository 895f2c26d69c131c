import type { DatabaseSync } from "node:sqlite";
import { fillUsers } from "./fill-users.ts";

/** The version of a database after all `steps`. */
export const latestVersion = (): number => steps.length;

/**
 * Migrates a database from `version` (0: empty) to the latest, in one transaction. If it is interrupted by a kill or a
 * full disk, the file is unchanged and the version that wrote it can still open it.
 */
export const migrate = (sql: DatabaseSync, version: number): void => {
  sql.exec("BEGIN IMMEDIATE");
  try {
    for (const step of steps.slice(version)) step(sql);
    sql.exec(`PRAGMA user_version = ${steps.length}; COMMIT`);
  } catch (error) {
    if (sql.isTransaction) sql.exec("ROLLBACK");
    throw error;
  }
};

/** The step at index n migrates from version n to n + 1. Never change a released step, because files of its version exist. */
const steps: readonly ((sql: DatabaseSync) => void)[] = [
  (sql) =>
    sql.exec(`
      -- seq is the last entry that segments hold; the journal holds the rest. dropped counts the drops.
      CREATE TABLE runs (
        number INTEGER PRIMARY KEY, run TEXT NOT NULL UNIQUE, thread TEXT, name TEXT NOT NULL, seq INTEGER NOT NULL,
        startedAt INTEGER NOT NULL, endedAt INTEGER, outcome TEXT, dropped INTEGER
      ) STRICT;
      CREATE INDEX runsOpen ON runs (number) WHERE endedAt IS NULL;
      CREATE INDEX runsEnded ON runs (endedAt, number) WHERE endedAt IS NOT NULL AND dropped IS NULL;
      CREATE INDEX runsDropped ON runs (dropped) WHERE dropped IS NOT NULL;
      CREATE INDEX runsThread ON runs (thread, number) WHERE thread IS NOT NULL;
      CREATE TABLE journal (id INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT;
      CREATE TABLE segments (
        id INTEGER PRIMARY KEY, number INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL, body TEXT NOT NULL
      ) STRICT;
      CREATE UNIQUE INDEX segmentsFirst ON segments (number, first);
      CREATE TABLE files (
        run TEXT NOT NULL, file TEXT NOT NULL, mediaType TEXT NOT NULL, name TEXT, size INTEGER NOT NULL,
        PRIMARY KEY (run, file)
      ) STRICT, WITHOUT ROWID;
    `),
  (sql) => {
    sql.exec(`
      ALTER TABLE runs ADD COLUMN user TEXT;
      ALTER TABLE runs ADD COLUMN owner TEXT;
      ALTER TABLE runs ADD COLUMN epoch INTEGER NOT NULL DEFAULT 0;
      CREATE INDEX runsUser ON runs (user, number) WHERE user IS NOT NULL;
      CREATE INDEX runsName ON runs (name, number);
      -- run is the number of a run that has not ended; number counts what was sent to it.
      CREATE TABLE controls (
        run INTEGER NOT NULL, number INTEGER NOT NULL, id TEXT NOT NULL, body TEXT NOT NULL,
        PRIMARY KEY (run, number), UNIQUE (run, id)
      ) STRICT, WITHOUT ROWID;
      CREATE TABLE records (
        kind TEXT NOT NULL, id TEXT NOT NULL, value TEXT NOT NULL, until INTEGER,
        PRIMARY KEY (kind, id)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX recordsUntil ON records (until) WHERE until IS NOT NULL;
    `);
    fillUsers(sql);
  },
  // For earlier runs, only the agent's display name is known.
  (sql) =>
    sql.exec(`
      ALTER TABLE runs ADD COLUMN agent TEXT NOT NULL DEFAULT '';
      UPDATE runs SET agent = name;
      DROP INDEX runsName;
      CREATE INDEX runsAgent ON runs (agent, number);
    `),
];
