import { execFile, spawnSync } from "node:child_process";
import { chmod, mkdtemp, rm, statfs, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { startPostgres } from "../engines/postgres.ts";
import { startRedis } from "../engines/redis.ts";

const run = promisify(execFile);

/** The storage of a round's runs, and the faults it supports. */
export interface Engine {
  /** The log setting of a process: a URL through this port, or a directory. */
  place(port: number): string;
  /** Undefined for files of one process. */
  readonly port: number | undefined;
  restart?(): Promise<void>;
  /** Fills up its disk until `free` is called. Absent if a separate disk cannot be created. */
  fill?(): Promise<void>;
  free?(): Promise<void>;
  stop(): Promise<void>;
}

export type EngineName = "redis" | "postgres" | "sqlite";

export const startEngine = async (name: EngineName): Promise<Engine> => {
  if (name === "sqlite") {
    const directory = await mkdtemp(path.join(tmpdir(), "runcast-chaos-sqlite-"));
    return { place: () => directory, port: undefined, stop: () => rm(directory, { recursive: true, force: true }) };
  }
  const disk = await makeDisk();
  // No rewrites: a full disk after one leaves a hole in the file, and Redis refuses to load it (docs/operations.md).
  const aof = ["--appendonly", "yes", "--appendfsync", "everysec", "--auto-aof-rewrite-percentage", "0"];
  const server = await (name === "redis" ? startRedis(...aof, "--dir", disk.directory) : startPostgres(disk.directory));
  const scheme = name === "redis" ? (port: number) => `redis://127.0.0.1:${port}` : urlOfPostgres;
  return {
    place: scheme,
    port: server.port,
    restart: server.restart,
    ...(disk.isOwn && {
      fill: disk.fill,
      async free() {
        await disk.free();
        // Postgres may have exited. Redis still has writes that it acknowledged and could not store: it stores them now,
        // and a crash before that loses them (docs/operations.md).
        if (name === "postgres") await server.restart();
      },
    }),
    async stop() {
      await server.stop();
      await disk.close();
    },
  };
};

const urlOfPostgres = (port: number): string => `postgres://runcast@127.0.0.1:${port}/postgres`;

const DISK = "2g";

/** A small disk in memory if this process may mount one, otherwise a directory. */
const makeDisk = async () => {
  const directory = await mkdtemp(path.join(tmpdir(), "runcast-chaos-disk-"));
  await chmod(directory, 0o777);
  const isOwn = await run("mount", ["-t", "tmpfs", "-o", `size=${DISK},mode=777`, "tmpfs", directory]).then(
    () => true,
    () => false,
  );
  // A round that is interrupted must not leave its disk in memory.
  const unmount = () => void spawnSync("umount", ["-l", directory]);
  if (isOwn) process.once("exit", unmount);
  const ballast = path.join(directory, "ballast");
  return {
    directory,
    isOwn,
    async fill() {
      const { bavail, bsize } = await statfs(directory);
      await run("fallocate", ["-l", String(bavail * bsize), ballast]).catch(() => writeFile(ballast, ""));
    },
    free: () => rm(ballast, { force: true }),
    async close() {
      if (isOwn) unmount();
      process.removeListener("exit", unmount);
      await rm(directory, { recursive: true, force: true });
    },
  };
};
