import { setImmediate } from "node:timers/promises";
import type { EventOf, Json } from "../events.ts";
import type { Log } from "../log.ts";
import { Refusal } from "../source.ts";
import { createState, fold, plainState, type RunSnapshot, type RunState } from "../state.ts";
import { jsonPieces } from "./json-pieces.ts";

/** The states of runs, folded from their logs. However long a run is, others get their turn all the while. */
export interface States {
  /** As JSON, in pieces. Throws the refusal for one that is too large to be answered at once. */
  text(run: string): Promise<{ readonly seq: number; readonly pieces: readonly string[] }>;
  /** As plain JSON; undefined if it is so large that whoever wants it has the entries sooner. */
  snapshot(run: string): Promise<{ readonly seq: number; readonly state: RunSnapshot } | undefined>;
  /** What it embeds under this id. */
  embed(run: string, embed: string): Promise<EventOf<"embed"> | undefined>;
  /** What its open slots hold. */
  data(run: string): Promise<ReadonlyMap<string, Json | undefined>>;
}

/** Who asks again pays only for what is new, unless the run is so long that its state would fill the memory. */
const KEPT = 8;
const KEPT_ENTRIES = 20_000;
const BATCH = 64;
/** How many runs are folded at the same time. */
const AT_ONCE = 4;
const MOST_CHARACTERS = 64 * 1024 * 1024;
const SNAPSHOT_CHARACTERS = 1024 * 1024;

export const createStates = (log: Log): States => {
  const kept = new Map<string, RunState>();
  const queue = createQueue(AT_ONCE);

  /** Nobody else changes the state meanwhile. */
  const withState = <Value>(run: string, use: (state: RunState) => Value | Promise<Value>): Promise<Value> =>
    queue(run, async () => {
      const state = kept.get(run) ?? createState();
      kept.delete(run);
      for (;;) {
        const entries = await log.read(run, state.seq, BATCH);
        for (const entry of entries) fold(state, entry);
        if (entries.length === 0) break;
        await setImmediate();
      }
      const value = await use(state);
      if (state.seq <= KEPT_ENTRIES) kept.set(run, state);
      for (const oldest of kept.keys()) if (kept.size > KEPT) kept.delete(oldest);
      return value;
    });

  const textOf = (run: string, most: number) =>
    withState(run, async (state) => {
      const pieces: string[] = [];
      let left = most;
      for (const piece of jsonPieces(plainState(state))) {
        pieces.push(piece);
        left -= piece.length;
        if (left < 0) return undefined;
        await setImmediate();
      }
      return { seq: state.seq, pieces };
    });

  return {
    text: async (run) => {
      const text = await textOf(run, MOST_CHARACTERS);
      if (text) return text;
      throw new Refusal("too-large", `the state of run ${run} is larger than ${MOST_CHARACTERS} characters`, {
        status: 413,
        hint: "follow its events, or read export.jsonl",
      });
    },
    snapshot: async (run) => {
      const text = await textOf(run, SNAPSHOT_CHARACTERS);
      return text && { seq: text.seq, state: JSON.parse(text.pieces.join("")) as RunSnapshot };
    },
    embed: (run, embed) =>
      withState(run, ({ nodes }) => {
        const node = nodes.get(`embed ${embed}`);
        return node?.kind === "embed" && node.event.type === "embed" ? node.event : undefined;
      }),
    data: (run) => withState(run, ({ data }) => new Map(data)),
  };
};

type Queue = <Value>(name: string, work: () => Promise<Value>) => Promise<Value>;

/** Runs work of one name one after the other, and of all names no more than `atOnce`. */
const createQueue = (atOnce: number): Queue => {
  const last = new Map<string, Promise<unknown>>();
  const waiting: (() => void)[] = [];
  let running = 0;
  const limited = async <Value>(work: () => Promise<Value>): Promise<Value> => {
    if (running >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
  return async (name, work) => {
    const before = last.get(name) ?? Promise.resolve();
    const done = before.then(() => limited(work));
    const settled = done.catch(() => {});
    last.set(name, settled);
    void settled.then(() => {
      if (last.get(name) === settled) last.delete(name);
    });
    return await done;
  };
};
