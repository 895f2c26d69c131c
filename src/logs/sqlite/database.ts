import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { latestVersion, migrate } from "./schema.ts";

export interface Database {
  readonly directory: string;
  readonly sql: DatabaseSync;
  /** Runs `work` in one transaction. Stores everything, or rolls back and throws the error. */
  transaction<Result>(work: () => Result): Result;
}

/** Opens a directory's database exclusively. The operating system releases the lock if the process dies. */
export const openDatabase = (directory: string): Database => {
  let sql: DatabaseSync | undefined;
  try {
    mkdirSync(directory, { recursive: true });
    sql = new DatabaseSync(path.join(directory, "log.db"));
    // Set the locking mode first: only then does WAL work without shared memory and hold its lock from the first access.
    sql.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
    prepareSchema(sql, directory);
    return { directory, sql, transaction: transactions(sql) };
  } catch (error) {
    sql?.close();
    throw explain(error, directory);
  }
};

/** Turns a database error into one with advice for the user. */
export const explain = (error: unknown, directory: string): unknown => {
  if (!(error instanceof Error) || error instanceof UnusableLog) return error;
  const code = (error as Error & { errcode?: number }).errcode ?? 0;
  const say = (text: string, named?: string, reason?: string) =>
    new UnusableLog(`the log in ${path.resolve(directory)} ${text}`, { cause: error }, named, reason);
  switch (code & 0xff) {
    case 5:
    case 6:
      return say(
        "is in use: another Runcast process (or another log in this one) has it open; close that one, or choose another directory",
        "log-in-use",
      );
    case 11:
    case 26:
      return say(
        `is damaged (${error.message}): restore log.db from a backup, or move the directory away to start over`,
        undefined,
        "it is damaged",
      );
    case 13:
      return say("cannot grow: the disk is full", undefined, FULL);
    default:
      if ((error as NodeJS.ErrnoException).code === "ENOSPC")
        return say("cannot grow: the disk is full", undefined, FULL);
      if (isReadOnly(directory)) return say("cannot be written: the disk is read-only", undefined, READ_ONLY);
      return "syscall" in error || code ? say(`cannot be used: ${error.message}`) : error;
  }
};

const FULL = "the disk is full";
const READ_ONLY = "the disk is read-only";

/** SQLite reports only an I/O error if a disk turns read-only while it is in use. Only a write shows it. */
const isReadOnly = (directory: string): boolean => {
  const probe = path.join(directory, "probe");
  try {
    writeFileSync(probe, "");
    rmSync(probe);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EROFS";
  }
};

export class UnusableLog extends Error {
  override name = "UnusableLog";
  /** For callers that can add more specific advice. */
  readonly code: string;
  /** The message for clients, which should not see the log's path. */
  readonly reason: string | undefined;
  constructor(message: string, options: ErrorOptions = {}, code = "unusable-log", reason?: string) {
    super(message, options);
    this.code = code;
    this.reason = reason;
  }
}

const prepareSchema = (sql: DatabaseSync, directory: string) => {
  const version = Number(sql.prepare("PRAGMA user_version").get()!.user_version);
  const latest = latestVersion();
  const where = path.resolve(directory, "log.db");
  if (version > latest)
    throw new UnusableLog(
      `${where} was written by a newer version of Runcast (format ${version}; this one reads up to ${latest}): upgrade, or choose another directory`,
    );
  if (version === latest) return;
  if (version === 0 && sql.prepare("SELECT count(*) AS count FROM sqlite_schema").get()!.count !== 0)
    throw new UnusableLog(`${where} is a database, but not a Runcast log: choose another directory`);
  migrate(sql, version);
};

const transactions = (sql: DatabaseSync): Database["transaction"] => {
  const begin = sql.prepare("BEGIN");
  const commit = sql.prepare("COMMIT");
  return (work) => {
    begin.run();
    try {
      const result = work();
      commit.run();
      return result;
    } catch (error) {
      try {
        sql.exec("ROLLBACK");
      } catch {
        // Some errors, such as a full disk, have already rolled back.
      }
      throw error;
    }
  };
};
