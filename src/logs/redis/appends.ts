import type { Entry } from "../../events.ts";
import {
  checkAppend,
  chunksOf,
  extendRun,
  LogConflict,
  LogFenced,
  LogMissing,
  type Marks,
  type Ownership,
  type RunInfo,
  type Tails,
} from "../../log.ts";
import type { RedisConnection } from "./connection.ts";
import { createExtensions } from "./extensions.ts";
import type { Keys } from "./keys.ts";
import type { RunIndex } from "./run-index.ts";
import { APPEND } from "./run-scripts.ts";
import type { Wakes } from "./wakes.ts";

interface Parts {
  readonly connection: RedisConnection;
  readonly keys: Keys;
  readonly index: RunIndex;
  readonly tails: Tails;
  readonly marks: Marks;
  readonly wakes: Wakes;
  readonly wake: (run: string) => void;
}

interface Append {
  readonly entries: readonly Entry[];
  readonly texts: readonly string[];
  readonly as: Ownership | undefined;
  readonly done: PromiseWithResolvers<void>;
}

/**
 * Sends at most one append per run at a time. Appends that arrive in the meantime are merged into the next. Different
 * runs share round trips.
 */
export const createAppends = ({ connection, keys, index, tails, marks, wakes, wake }: Parts) => {
  const waiting = new Map<string, Append[]>();
  const working = new Set<Promise<void>>();
  const extend = createExtensions(connection, keys);

  const store = async (run: string, { entries, texts, as }: Omit<Append, "done">): Promise<void> => {
    const first = entries[0]!.seq;
    const last = first + entries.length - 1;
    const end = entries.findLast(({ event }) => event.type === "run-end");
    const begun = first === 1 && (as?.epoch ?? 1) === 1 ? extendRun(run, undefined, entries, as) : undefined;
    const fields = begun ? fieldsOf(begun) : [];
    const chunks = chunksOf(first, texts).flatMap(({ last, count, text }) => [`${last}-${count}`, text]);
    const stored = () => {
      marks.set(run, last);
      if (as && !end) tails.extend(run, entries, as);
      else tails.forget(run);
    };
    // Nearly all appends only continue a run.
    const [id, text, more] = chunks;
    const isExtension = first > 1 && !end && more === undefined && !connection.isCluster && as?.owner !== "";
    const tried = isExtension && (await extend({ run, first, last, as, id: id!, text: text! }));
    if (tried === "stored") {
      stored();
      wakes.notify(run, connection, keys.channel);
      return wake(run);
    }
    const outcome = end?.event.type === "run-end" ? end.event.outcome : "";
    // Sent before the run, in the same round trip: a run that no list contains could never be found again.
    const indexed = begun && index.start(begun);
    const appended = connection.call<[string, number, string | null, string]>(
      APPEND,
      [keys.info(run), keys.entries(run), keys.controls(run), keys.controlIds(run), keys.files(run)],
      (isRetry) => [
        ...[String(first), String(last), as ? "1" : "0", as?.owner ?? "", String(as?.epoch ?? 0)],
        isRetry || tried === "sent" ? "1" : "0",
        ...[end ? String(end.at) : "", outcome, keys.channel, wakes.message("e", [run]), keys.file(run, "")],
        ...[String(fields.length), ...fields, ...chunks],
      ],
    );
    const [[status, seq, owner, epoch]] = await Promise.all([appended, indexed]);
    if (status !== "stored") {
      tails.forget(run);
      if (begun && status === "fenced") await index.own(run, owner ?? undefined);
      if (status === "dropped") throw new LogMissing(run, true);
      if (status === "fenced") throw new LogFenced(run, as, { ...(owner !== null && { owner }), epoch: Number(epoch) });
      marks.check(run, first - 1, seq);
      throw new LogConflict(run, first - 1, seq);
    }
    stored();
    if (end) await index.end(run, end.at);
    else wakes.notify(run, connection, keys.channel);
    wake(run);
  };

  const work = async (run: string, queue: Append[]): Promise<void> => {
    while (queue.length > 0) {
      const group = queue.splice(0, countOfOne(queue));
      const [{ as }] = group as [Append];
      const together = {
        as,
        entries: group.flatMap(({ entries }) => entries),
        texts: group.flatMap(({ texts }) => texts),
      };
      await store(run, together).then(
        () => group.forEach(({ done }) => done.resolve()),
        (error: unknown) => group.forEach(({ done }) => done.reject(error)),
      );
    }
    waiting.delete(run);
  };

  return {
    async append(run: string, entries: readonly Entry[], as: Ownership | undefined): Promise<void> {
      if (entries.length === 0) return;
      checkAppend(run, entries, as);
      const texts = entries.map((entry) => JSON.stringify(entry));
      const done = Promise.withResolvers<void>();
      const queue = waiting.get(run) ?? [];
      queue.push({ entries: [...entries], texts, as, done });
      if (!waiting.has(run)) {
        waiting.set(run, queue);
        const working_ = work(run, queue);
        working.add(working_);
        void working_.finally(() => working.delete(working_));
      }
      await done.promise;
    },
    /** Resolves when nothing is in progress. */
    async idle(): Promise<void> {
      while (working.size > 0) await Promise.all(working);
    },
  };
};

/** How many appends from the front can be merged: same writer, and each continues the previous one. */
const countOfOne = (queue: readonly Append[]): number => {
  let count = 1;
  while (count < queue.length) {
    const [before, next] = [queue[count - 1]!, queue[count]!];
    const isNext = next.entries[0]!.seq === before.entries.at(-1)!.seq + 1;
    if (!isNext || next.as?.owner !== before.as?.owner || next.as?.epoch !== before.as?.epoch) break;
    count++;
  }
  return count;
};

const fieldsOf = ({ thread, user, name, agent, startedAt, owner, epoch }: RunInfo): string[] =>
  Object.entries({ thread, user, name, agent, startedAt, owner, epoch })
    .filter(([, value]) => value !== undefined)
    .flatMap(([field, value]) => [field, String(value)]);
