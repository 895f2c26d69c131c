import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { type Client, createClient } from "../../src/client.ts";
import type { Answer, Entry, EventOf } from "../../src/events.ts";
import type { RunState } from "../../src/state.ts";
import { messageOf } from "./agent.ts";

/** What one user saw of a run. */
export interface Seen {
  readonly run: string;
  readonly entries: readonly Entry[];
  readonly state: RunState;
}

export interface Acknowledged {
  readonly run: string;
  readonly ask: string;
  readonly answer: Answer;
}

/** A run that a user cancelled. `isAcknowledged`: the server has confirmed it. */
export interface Cancel {
  readonly run: string;
  isAcknowledged: boolean;
}

/** Users who start runs, follow them to their end, answer their asks and cancel a few, this many concurrently. */
export interface Users {
  readonly started: number;
  readonly seen: readonly Seen[];
  readonly acknowledged: readonly Acknowledged[];
  readonly cancels: readonly Cancel[];
  /** Starts nothing more, and resolves when all users have seen the end of their runs. Rejects on a timeout. */
  leave(timeoutMs: number): Promise<void>;
}

export interface UsersOptions {
  readonly url: string;
  readonly atOnce: number;
  readonly random: () => number;
  readonly name: string;
}

/** A connection that is silent for longer than this, without even a heartbeat, counts as dead. */
const SILENCE_MS = 8000;
const CANCELLED = 1 / 12;

export const startUsers = ({ url, atOnce, random, name }: UsersOptions): Users => {
  const client = createClient({ url, backoff: () => 100 + Math.random() * 200, silenceMs: SILENCE_MS });
  const seen: Seen[] = [];
  const acknowledged: Acknowledged[] = [];
  const cancels: Cancel[] = [];
  const open = new Set<string>();
  let started = 0;
  let isOver = false;

  const person = async (): Promise<void> => {
    while (!isOver) {
      const run = `${name}-${++started}`;
      const seed = Math.floor(random() * 1e9);
      open.add(run);
      const entries: Entry[] = [];
      const handle = client.start(
        { run, message: messageOf(seed) },
        {
          onEntry: (entry) => {
            entries.push(entry);
            if (entry.event.type === "ask-start") void answer(client, run, entry.event, handle, acknowledged);
          },
        },
      );
      if (random() < CANCELLED) void cancel(client, run, handle, cancels);
      // A second user watches every third run over another connection.
      const other = started % 3 === 0 ? watch(client, run, seen) : undefined;
      seen.push({ run, entries, state: await handle.finished });
      await other;
      open.delete(run);
    }
  };
  const all = Promise.all(Array.from({ length: atOnce }, person));
  all.catch(() => {});

  return {
    get started() {
      return started;
    },
    seen,
    acknowledged,
    cancels,
    async leave(timeoutMs) {
      isOver = true;
      const late = sleep(timeoutMs, "late", { ref: false });
      if ((await Promise.race([all, late])) === "late")
        throw new Error(`${open.size} runs have not ended: ${[...open].slice(0, 5).join(", ")}`);
    },
  };
};

const watch = async (client: Client, run: string, seen: Seen[]): Promise<void> => {
  const entries: Entry[] = [];
  for (;;) {
    try {
      const { finished } = client.follow(run, { onEntry: (entry) => void entries.push(entry) });
      return void seen.push({ run, entries, state: await finished });
    } catch (error) {
      // The run may not have started yet.
      if ((error as { code?: string }).code !== "unknown-run") throw error;
      await sleep(200);
    }
  }
};

/** Sends the answer until the run shows it, or no longer asks. */
const answer = async (
  client: Client,
  run: string,
  { ask, kind }: EventOf<"ask-start">,
  handle: { readonly state: RunState },
  acknowledged: Acknowledged[],
): Promise<void> => {
  const given: Answer = kind === "approval" ? { allow: true } : { value: "two" };
  await sleep(Math.random() * 500);
  for (;;) {
    try {
      await client.answer(run, ask, given);
      return void acknowledged.push({ run, ask, answer: given });
    } catch (error) {
      const { code } = error as { code?: string };
      if (code === "ask-closed" || code === "ask-conflict") return;
      if (handle.state.outcome !== undefined) return;
      await sleep(300);
    }
  }
};

/** Sends the cancel until it is confirmed, or the run has ended. */
const cancel = async (client: Client, run: string, handle: { readonly state: RunState }, cancels: Cancel[]) => {
  const asked: Cancel = { run, isAcknowledged: false };
  cancels.push(asked);
  await sleep(Math.random() * 3000);
  while (handle.state.outcome === undefined) {
    try {
      asked.isAcknowledged = (await client.cancel(run)) === "cancelled";
      return;
    } catch {
      await sleep(300);
    }
  }
};

export const isAnswered = (entries: readonly Entry[], { ask, answer: given }: Acknowledged): boolean =>
  entries.some(
    ({ event }) =>
      event.type === "ask-end" &&
      event.ask === ask &&
      event.outcome === "answered" &&
      isDeepStrictEqual(event.answer, given),
  );
