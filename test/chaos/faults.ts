import { setTimeout as sleep } from "node:timers/promises";
import type { Relay } from "../relay.ts";
import type { Engine } from "./engines.ts";
import type { Fleet, Slot } from "./fleet.ts";
import { uptime } from "./tally.ts";

/** All faults of a round, chosen by a seed. A fault may start while earlier ones still last. */
export interface Faults {
  readonly counts: Readonly<Record<string, number>>;
  /** Those that can happen: some need a program, or a disk that this machine cannot create. */
  readonly possible: readonly string[];
  /** The periods in which the engine was unreachable. */
  readonly engineTrouble: readonly { readonly from: number; readonly to: number }[];
  /** Stops, and resolves when everything is repaired. */
  end(): Promise<void>;
}

export interface FaultsOptions {
  readonly fleet: Fleet;
  readonly engine: Engine;
  /** Between users and processes. */
  readonly balancer: Relay;
  readonly leaseMs: number;
  readonly random: () => number;
  /** Only these faults occur. Default: all. */
  readonly only?: readonly string[] | undefined;
}

const TAKES_A_PROCESS = new Set(["kill", "terminate", "pause longer than the lease"]);

/** The weight of each fault. Some need several processes and a separate engine. */
const WEIGHTS = {
  alone: { kill: 4, terminate: 1, "cut clients": 1, "half-open clients": 1, "slow clients": 1 },
  shared: {
    kill: 12,
    terminate: 1,
    "pause longer than the lease": 2,
    "cut clients": 2,
    "half-open clients": 1,
    "slow clients": 1,
    "cut from the engine": 2,
    "half-open to the engine": 1,
    "slow engine": 1,
    "restart of the engine": 1,
    "clock step": 1,
    "full disk": 0.5,
  },
} as const;

export const faultsOf = (isShared: boolean): string[] => Object.keys(WEIGHTS[isShared ? "shared" : "alone"]);

type Act = (slot: Slot) => Promise<void> | void;

export const startFaults = ({ fleet, engine, balancer, leaseMs, random, only }: FaultsOptions): Faults => {
  const counts: Record<string, number> = {};
  const engineTrouble: { from: number; to: number }[] = [];
  const under = new Set<Promise<void>>();
  const stop = new AbortController();
  const half = () => random() < 0.5;

  const troubled = async (act: () => Promise<void> | void, lastsMs: number) => {
    const trouble = { from: uptime(), to: Infinity };
    engineTrouble.push(trouble);
    await act();
    trouble.to = uptime() + lastsMs;
  };
  const delayed = async (relay: Relay, ms: number, lastsMs: number) => {
    relay.delay(ms);
    await sleep(lastsMs);
    relay.delay(0);
  };

  const performances: Readonly<Record<keyof typeof WEIGHTS.shared, Act>> = {
    kill: (slot) => slot.kill(),
    terminate: (slot) => slot.terminate(),
    "pause longer than the lease": (slot) => slot.pause(leaseMs * 1.5 + 500),
    "cut clients": () => balancer.cut(half),
    "half-open clients": () => balancer.freeze(half),
    "slow clients": () => delayed(balancer, 100, 2000),
    "cut from the engine": (slot) => troubled(() => slot.network?.cut(), 1000),
    "half-open to the engine": (slot) => troubled(() => slot.network?.freeze(), 30_000),
    "slow engine": (slot) => troubled(() => delayed(slot.network!, 40, 3000), 1000),
    "restart of the engine": () => troubled(() => engine.restart!(), 3000),
    "clock step": () => fleet.slots[0]!.stepClock?.(Math.round((random() - 0.5) * 7200)),
    "full disk": () => troubled(() => fullDisk(engine), 3000),
  };
  const weights = Object.entries(engine.port === undefined ? WEIGHTS.alone : WEIGHTS.shared);
  const acts = weights
    .map(([name, weight]) => [name, weight, performances[name as keyof typeof performances]] as const)
    .filter(
      ([name]) =>
        (only?.includes(name) ?? true) &&
        (name !== "full disk" || engine.fill) &&
        (name !== "clock step" || fleet.slots[0]!.stepClock),
    );
  const total = acts.reduce((sum, [, weight]) => sum + weight, 0);
  let isFirst = true;
  const choose = () => {
    // Every round has at least one, however short it is.
    if (isFirst) {
      isFirst = false;
      return acts[0]!;
    }
    let left = random() * total;
    return acts.find(([, weight]) => (left -= weight) < 0) ?? acts[0]!;
  };

  let isRestarting = false;
  const happen = async () => {
    const [name, , act] = choose();
    const up = fleet.slots.filter((each) => each.isUp());
    const slot = up[Math.floor(random() * up.length)];
    // One process always stays alive, because takeover times are measured.
    if (!slot || (TAKES_A_PROCESS.has(name) && up.length === 1 && fleet.slots.length > 1)) return;
    const isEngine = name === "restart of the engine" || name === "full disk";
    if (isEngine && isRestarting) return;
    isRestarting ||= isEngine;
    counts[name] = (counts[name] ?? 0) + 1;
    await act(slot);
    if (isEngine) isRestarting = false;
  };

  const running = (async () => {
    while (!stop.signal.aborted) {
      const happening = happen();
      under.add(happening);
      void happening.then(() => under.delete(happening));
      await sleep(700 + random() * 1600, undefined, { signal: stop.signal }).catch(() => {});
    }
  })();

  return {
    counts,
    possible: acts.map(([name]) => name),
    engineTrouble,
    async end() {
      stop.abort();
      await running;
      await Promise.all(under);
      for (const slot of fleet.slots) slot.stepClock?.(0);
      // Half-open connections are eventually closed by a timeout. Close them here, to save minutes.
      balancer.cut();
      for (const { network } of fleet.slots) network?.cut();
    },
  };
};

const fullDisk = async (engine: Engine): Promise<void> => {
  await engine.fill!();
  await sleep(1500);
  await engine.free!();
};
