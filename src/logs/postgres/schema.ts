import type { ClientBase } from "pg";

/** The migration steps from each version of the tables to the next. A new database goes through all of them. */
const STEPS: readonly ((schema: string) => string)[] = [
  (schema) => `
    CREATE TABLE ${schema}.runs (
      number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, run text NOT NULL UNIQUE,
      thread text, "user" text, name text NOT NULL, seq bigint NOT NULL, started_at float8 NOT NULL,
      ended_at float8, outcome text, owner text, epoch bigint NOT NULL, dropped boolean NOT NULL DEFAULT false);
    CREATE INDEX ON ${schema}.runs (thread, number) WHERE NOT dropped;
    CREATE INDEX ON ${schema}.runs ("user", number) WHERE NOT dropped;
    CREATE INDEX ON ${schema}.runs (name, number) WHERE NOT dropped;
    CREATE INDEX ON ${schema}.runs (number) WHERE ended_at IS NULL;
    CREATE INDEX ON ${schema}.runs (ended_at, number) WHERE ended_at IS NOT NULL AND NOT dropped;
    CREATE INDEX ON ${schema}.runs (number) WHERE dropped;
    -- A chunk is found by its last seq; it is never changed.
    CREATE TABLE ${schema}.entries (
      run bigint NOT NULL, last bigint NOT NULL, body text NOT NULL, PRIMARY KEY (run, last));
    CREATE TABLE ${schema}.controls (
      run bigint NOT NULL, number int NOT NULL, id text NOT NULL, body text NOT NULL,
      PRIMARY KEY (run, number), UNIQUE (run, id));
    CREATE TABLE ${schema}.files (
      run text NOT NULL, file text NOT NULL, about text NOT NULL, made timestamptz NOT NULL, PRIMARY KEY (run, file));
    CREATE TABLE ${schema}.file_chunks (
      run text NOT NULL, file text NOT NULL, place int NOT NULL, bytes bytea NOT NULL, PRIMARY KEY (run, file, place));
    ALTER TABLE ${schema}.file_chunks ALTER COLUMN bytes SET STORAGE EXTERNAL;
    CREATE TABLE ${schema}.owners (owner text PRIMARY KEY, until timestamptz NOT NULL);
    CREATE TABLE ${schema}.records (
      kind text NOT NULL, id text COLLATE "C" NOT NULL, value text NOT NULL, until timestamptz, PRIMARY KEY (kind, id));
    CREATE INDEX ON ${schema}.records (until) WHERE until IS NOT NULL;
    CREATE TABLE ${schema}.calls (call text PRIMARY KEY, answer text NOT NULL, at timestamptz NOT NULL DEFAULT clock_timestamp());
    CREATE INDEX ON ${schema}.calls (at);
  `,
  // For earlier runs, only the agent's display name is known.
  (schema) => `
    ALTER TABLE ${schema}.runs ADD COLUMN agent text;
    UPDATE ${schema}.runs SET agent = name;
    ALTER TABLE ${schema}.runs ALTER COLUMN agent SET NOT NULL;
    DROP INDEX ${schema}.runs_name_number_idx;
    CREATE INDEX ON ${schema}.runs (agent, number) WHERE NOT dropped;
  `,
  // Every append updates the row of its run. With free space on the page, no index needs to change (a HOT update).
  (schema) => `ALTER TABLE ${schema}.runs SET (fillfactor = 40)`,
];

/** Migrates the tables to this version. If several processes start together, one migrates and the others wait. */
export const migrate = async (client: ClientBase, schema: string, functions: string): Promise<void> => {
  await client.query("BEGIN");
  try {
    await client.query("SELECT pg_advisory_xact_lock(hashtext($1))", [`runcast ${schema}`]);
    await client.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
    await client.query(`CREATE TABLE IF NOT EXISTS ${schema}.version (version int NOT NULL)`);
    const { rows } = await client.query<{ version: number }>(`SELECT version FROM ${schema}.version`);
    const version = rows[0]?.version ?? 0;
    if (version > STEPS.length)
      throw new Error(
        `the tables have version ${version}, but this version of Runcast reads versions up to ${STEPS.length}`,
      );
    for (const step of STEPS.slice(version)) await client.query(step(schema));
    if (version < STEPS.length) {
      await client.query(functions);
      await client.query(`DELETE FROM ${schema}.version`);
      await client.query(`INSERT INTO ${schema}.version VALUES ($1)`, [STEPS.length]);
    }
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK").catch(() => {});
    throw error;
  }
};
