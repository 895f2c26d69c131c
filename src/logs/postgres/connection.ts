import { setTimeout as delay } from "node:timers/promises";
import type * as Library from "pg";
import { engineAddress } from "../../log.ts";

/** The server did not answer in time. */
export class Unreachable extends Error {}

export interface PostgresConnection {
  /** Sends a statement until there is a response. Its values may depend on whether an earlier attempt may have been executed. */
  query<Row extends object>(
    text: string,
    values: readonly unknown[] | ((isRetry: boolean) => readonly unknown[]),
  ): Promise<Row[]>;
  close(): Promise<void>;
}

export interface ConnectionOptions {
  readonly url: string;
  readonly channel: string;
  /** Called once, before anything else. */
  readonly prepare: (client: Library.ClientBase) => Promise<void>;
  readonly onMessage: (message: string) => void;
  /** Called when messages may have been missed. */
  readonly onGap: () => void;
  /** How long a response may take before the connection counts as dead. */
  readonly silenceMs: number;
}

const RETRY_MS = 30_000;
const CONNECTIONS = 8;

export const connect = async ({
  url,
  channel,
  prepare,
  onMessage,
  onGap,
  silenceMs,
}: ConnectionOptions): Promise<PostgresConnection> => {
  const { default: pg } = await load();
  const settings = {
    connectionString: url,
    connectionTimeoutMillis: 5000,
    keepAlive: true,
    application_name: "runcast",
  };
  const pool = new pg.Pool({ ...settings, max: CONNECTIONS });
  // If an idle connection breaks, the pool opens another when one is needed.
  pool.on("error", () => {});
  const withHelp = (error: unknown) =>
    new Unreachable(`cannot reach Postgres at ${engineAddress(url)}: ${reasonOf(error)}`, {
      cause: new Error(reasonOf(error)),
    });
  /** The library's types lack the timeout. */
  const timed = (text: string, values: unknown[] = []) => ({ text, values, query_timeout: silenceMs });
  let closed = false;
  let listener: Library.Client | undefined;

  const listen = async () => {
    const client = new pg.Client(settings);
    client.on("error", () => {});
    client.on("notification", ({ payload = "" }) => onMessage(payload));
    await client.connect();
    await client.query(`LISTEN "${channel}"`);
    listener = client;
    client.once("end", () => {
      listener = undefined;
      void listenAgain();
    });
    void keepAsking(client).catch(() => client.end().catch(() => {}));
  };
  /** A half-open connection looks like one without messages, so probe it regularly. */
  const keepAsking = async (client: Library.Client) => {
    while (listener === client) {
      await delay(silenceMs / 2, undefined, { ref: false });
      if (listener === client) await client.query(timed("SELECT 1"));
    }
  };
  const listenAgain = async () => {
    for (let tries = 0; !closed; tries++) {
      try {
        await listen();
        return onGap();
      } catch {
        await delay(Math.min(2000, 50 * 2 ** tries), undefined, { ref: false });
      }
    }
  };

  try {
    const client = await pool.connect();
    // Without a listener, a connection that breaks here ends the process. The statement fails with the same error.
    const ignore = () => {};
    client.on("error", ignore);
    try {
      const { rows } = await client.query<{ version: string }>(
        "SELECT current_setting('server_version_num') AS version",
      );
      if (Number(rows[0]!.version) < 140_000) throw new Error("Runcast needs Postgres 14 or newer");
      await prepare(client);
    } finally {
      client.off("error", ignore);
      client.release();
    }
    await listen();
  } catch (error) {
    closed = true;
    await listener?.end().catch(() => {});
    await pool.end();
    throw withHelp(error);
  }

  return {
    async query(text, values) {
      const start = performance.now();
      for (let tries = 0; ; tries++) {
        try {
          const given = typeof values === "function" ? values(tries > 0) : values;
          const { rows } = await pool.query(timed(text, given as unknown[]));
          return rows;
        } catch (error) {
          if (!isTemporary(error)) throw error;
          if (closed || performance.now() - start > RETRY_MS) throw withHelp(error);
          await delay(Math.min(1000, 20 * 2 ** tries));
        }
      }
    },
    async close() {
      closed = true;
      const last = listener;
      listener = undefined;
      await last?.end();
      await pool.end();
    },
  };
};

const load = async (): Promise<typeof Library> => {
  try {
    return await import("pg");
  } catch (error) {
    throw new Error("a log in Postgres needs the package pg: npm install pg", { cause: error });
  }
};

/** The server stops, starts, fails over or is out of connections, or a transaction was rolled back because of another one. */
const LATER = /^(08|57P0|40|53300|25006)/;

const isTemporary = (error: unknown): boolean => {
  const { code, severity, message = "" } = error as { code?: string; severity?: string; message?: string };
  if (severity !== undefined) return LATER.test(code ?? "");
  return code?.startsWith("E") === true || /terminated|timeout|closed|ended/i.test(message);
};

const reasonOf = (error: unknown): string => {
  const { message, code, errors } = error as Error & { code?: string; errors?: Error[] };
  return message || errors?.[0]?.message || code || "no answer";
};
