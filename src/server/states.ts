import { setImmediate } from "node:timers/promises";
import type { EventOf, Json } from "../events.ts";
import type { Log } from "../log.ts";
import { Refusal } from "../source.ts";
import { createState, fold, plainState, type RunSnapshot, type RunState } from "../state.ts";
import { jsonPieces } from "./json-pieces.ts";

/** The states of runs, folded from their logs. Folding long runs yields to other work. */
export interface States {
  /** As JSON, in pieces. Throws a Refusal if it is too large for one response. */
  text(run: string): Promise<{ readonly seq: number; readonly pieces: readonly string[] }>;
  /** As plain JSON. Undefined if it is so large that sending the entries is faster. */
  snapshot(run: string): Promise<{ readonly seq: number; readonly state: RunSnapshot } | undefined>;
  /** The embed with this id. */
  embed(run: string, embed: string): Promise<EventOf<"embed"> | undefined>;
  /** The values of its data slots. */
  data(run: string): Promise<ReadonlyMap<string, Json | undefined>>;
}

/** How many states are cached, so that repeated requests cost only the new entries. States of very long runs are not cached. */
const KEPT = 8;
const KEPT_ENTRIES = 20_000;
const BATCH = 64;
/** How many runs are folded concurrently. */
const AT_ONCE = 4;
const MAX_CHARACTERS = 64 * 1024 * 1024;
const SNAPSHOT_CHARACTERS = 1024 * 1024;

export const createStates = (log: Log): States => {
  const kept = new Map<string, RunState>();
  const queue = createQueue(AT_ONCE);

  /** Has exclusive access to the state. */
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
      const text = await textOf(run, MAX_CHARACTERS);
      if (text) return text;
      throw new Refusal("too-large", `the state of run ${run} is larger than ${MAX_CHARACTERS} characters`, {
        status: 413,
        hint: "follow its events, or download export.jsonl",
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

/** Runs work of one name sequentially, and at most `atOnce` of all names concurrently. */
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
