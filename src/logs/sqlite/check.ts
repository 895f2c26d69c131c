import { statSync } from "node:fs";
import { open, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Database } from "./database.ts";

/** More than an append needs. */
const ROOM = new Uint8Array(256 * 1024);

/** Creates a check that the log is still writable and still the same file. */
export const openCheck = ({ directory }: Database, store: () => Promise<unknown>) => {
  const file = path.join(directory, "log.db");
  const { ino, dev } = statSync(file);
  const probe = path.join(directory, "unfinished", "room");
  return async (): Promise<void> => {
    const found = await stat(file);
    // A database that was deleted while open can still be written, but never read again.
    if (found.ino !== ino || found.dev !== dev)
      throw Object.assign(new Error("log.db was replaced after it was opened"), { syscall: "stat" });
    if (!(await begins(file)))
      throw Object.assign(new Error("log.db is no longer a database"), { errcode: NOT_A_DATABASE });
    await store();
    try {
      await writeFile(probe, ROOM);
    } finally {
      await rm(probe, { force: true });
    }
  };
};

/** The header of every SQLite database. SQLite does not reread cached pages, so it would not notice a change. */
const HEAD = "SQLite format 3\0";
const NOT_A_DATABASE = 26;

const begins = async (file: string): Promise<boolean> => {
  const opened = await open(file);
  try {
    const { buffer } = await opened.read(Buffer.alloc(HEAD.length), 0, HEAD.length, 0);
    return buffer.toString("latin1") === HEAD;
  } finally {
    await opened.close();
  }
};
