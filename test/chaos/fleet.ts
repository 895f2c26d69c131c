import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { openSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findProgram } from "../components.ts";
import { freePort } from "../engines/redis.ts";
import { type Relay, startRelay } from "../relay.ts";
import type { Engine } from "./engines.ts";
import { uptime } from "./tally.ts";

/** One slot of the fleet. When its process ends, another one takes its place. */
export interface Slot {
  readonly port: number;
  /** Between the process and the engine. */
  readonly network: Relay | undefined;
  /** Whether its process is running and was not told to stop. */
  isUp(): boolean;
  /** Kills the process and soon starts the next one. */
  kill(): Promise<void>;
  /** Sends SIGTERM, and starts the next process when it has exited. */
  terminate(): Promise<void>;
  /** Suspends the process for this long. */
  pause(ms: number): Promise<void>;
  /** Changes its clock. Undefined if that is not supported. */
  readonly stepClock: ((seconds: number) => void) | undefined;
}

export interface Fleet {
  readonly slots: readonly Slot[];
  /** The time at which each process was killed. */
  readonly kills: readonly { readonly pid: number; readonly at: number }[];
  close(): Promise<void>;
}

export interface FleetOptions {
  readonly engine: Engine;
  readonly size: number;
  readonly leaseMs: number;
  readonly directory: string;
}

const program = path.join(import.meta.dirname, "../fixtures/chaos-server.ts");
const FAKETIME = "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1";

export const tallyFile = (directory: string): string => path.join(directory, "tally.jsonl");

export const startFleet = async ({ engine, size, leaseMs, directory }: FleetOptions): Promise<Fleet> => {
  const kills: { pid: number; at: number }[] = [];
  const output = openSync(path.join(directory, "problems.log"), "a");
  const canStep = findProgram("faketime") !== undefined && process.arch === "x64";
  let isClosing = false;

  const createSlot = async (index: number): Promise<Slot & { end(): Promise<void> }> => {
    const port = await freePort();
    const network = engine.port === undefined ? undefined : await startRelay(() => [engine.port!]);
    const clock = path.join(directory, `clock-${index}`);
    writeFileSync(clock, "+0");
    // One process has a clock that jumps.
    const isStepped = canStep && index === 0 && network !== undefined;
    const env = isStepped
      ? {
          LD_PRELOAD: FAKETIME,
          FAKETIME_TIMESTAMP_FILE: clock,
          FAKETIME_CACHE_DURATION: "1",
          FAKETIME_DONT_FAKE_MONOTONIC: "1",
          DONT_FAKE_MONOTONIC: "1",
        }
      : {};
    let child: ChildProcess;
    let isUp = false;

    const start = async () => {
      const args = [program, engine.place(network?.port ?? 0), String(port), String(leaseMs), tallyFile(directory)];
      child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", ...args], {
        stdio: ["ignore", "pipe", output],
        env: { ...process.env, ...env },
      });
      const exited = once(child, "exit");
      await Promise.race([once(child.stdout!, "data"), exited]);
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`a process ended by itself: see ${directory}`);
      isUp = true;
    };
    const ended = async (signal: NodeJS.Signals) => {
      isUp = false;
      const exited = once(child, "exit");
      child.kill(signal);
      await exited;
    };
    const next = async (waitMs: number) => {
      await sleep(waitMs);
      if (!isClosing) await start();
    };
    await start();
    // The script that plays rounds may be interrupted.
    const abandon = () => void child.kill("SIGKILL");
    process.once("exit", abandon);
    return {
      port,
      network,
      isUp: () => isUp,
      async kill() {
        kills.push({ pid: child.pid!, at: uptime() });
        await ended("SIGKILL");
        await next(300);
      },
      async terminate() {
        await ended("SIGTERM");
        await next(100);
      },
      async pause(ms: number) {
        isUp = false;
        child.kill("SIGSTOP");
        await sleep(ms);
        child.kill("SIGCONT");
        isUp = true;
      },
      stepClock: isStepped
        ? (seconds: number) => writeFileSync(clock, `${seconds < 0 ? "" : "+"}${seconds}`)
        : undefined,
      async end() {
        isUp = false;
        process.off("exit", abandon);
        if (child.exitCode === null && child.signalCode === null) await ended("SIGKILL");
        await network?.close();
      },
    };
  };

  const slots: Awaited<ReturnType<typeof createSlot>>[] = [];
  for (let index = 0; index < size; index++) slots.push(await createSlot(index));
  return {
    slots,
    kills,
    async close() {
      isClosing = true;
      for (const slot of slots) await slot.end();
    },
  };
};
