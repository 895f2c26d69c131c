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

interface Batch {
  readonly entries: readonly Entry[];
  readonly texts: readonly string[];
  readonly as: Ownership | undefined;
  /** The term of the owner's lease in which it was sent. */
  readonly term: number;
}

interface Append extends Batch {
  readonly done: PromiseWithResolvers<void>;
}

/**
 * Sends at most one append per run at a time. Appends that arrive in the meantime are merged into the next. Different
 * runs share round trips.
 */
export const createAppends = ({ connection, keys, index, tails, marks, wakes, wake }: Parts) => {
  const waiting = new Map<string, Append[]>();
  let idle: PromiseWithResolvers<void> | undefined;
  const extend = createExtensions(connection, keys, wakes);

  const onStored = (run: string, { entries, as, term }: Batch, hasEnded: boolean): void => {
    marks.set(run, entries.at(-1)!.seq);
    if (as && !hasEnded) tails.extend(run, entries, as, term);
    else tails.forget(run);
  };

  /** Stores a batch of any kind. `wasSent`: it may be stored already. */
  const store = async (run: string, batch: Batch, wasSent: boolean): Promise<void> => {
    const { entries, texts, as } = batch;
    const first = entries[0]!.seq;
    const last = entries.at(-1)!.seq;
    const end = entries.findLast(isEnd);
    const begun = first === 1 && (as?.epoch ?? 1) === 1 ? extendRun(run, undefined, entries, as) : undefined;
    const fields = begun ? fieldsOf(begun) : [];
    const chunks = chunksOf(first, texts).flatMap(({ last, count, text }) => [`${last}-${count}`, text]);
    const outcome = end?.event.type === "run-end" ? end.event.outcome : "";
    // Sent before the run, in the same round trip: a run that no list contains could never be found again.
    const indexed = begun && index.start(begun);
    const appended = connection.call<[string, number, string | null, string]>(
      APPEND,
      [keys.info(run), keys.entries(run), keys.controls(run), keys.controlIds(run), keys.files(run)],
      (isRetry) => [
        ...[String(first), String(last), as ? "1" : "0", as?.owner ?? "", String(as?.epoch ?? 0)],
        isRetry || wasSent ? "1" : "0",
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
    onStored(run, batch, end !== undefined);
    if (end) await index.end(run, end.at);
    else wakes.notify(run, connection, keys.channel);
    wake(run);
  };

  /** Sends the waiting appends. Nearly all appends are extensions, which use callbacks: promises would cost more than the rest. */
  const sendNext = (run: string, queue: Append[]): void => {
    const group = queue.splice(0, countOfOne(queue));
    const batch = group.length === 1 ? group[0]! : merged(group);
    const goOn = (): void => {
      if (queue.length > 0) return sendNext(run, queue);
      waiting.delete(run);
      if (waiting.size > 0) return;
      idle?.resolve();
      idle = undefined;
    };
    const succeed = (): void => {
      for (const { done } of group) done.resolve();
      goOn();
    };
    const fail = (error: unknown): void => {
      for (const { done } of group) done.reject(error);
      goOn();
    };
    if (connection.isCluster || !isExtension(batch)) return void store(run, batch, false).then(succeed, fail);
    const { entries, texts, as } = batch;
    extend({
      ...{ run, first: entries[0]!.seq, last: entries.at(-1)!.seq, as, text: texts.join(",") },
      onResult(result) {
        if (result !== "stored") return void store(run, batch, result === "sent").then(succeed, fail);
        onStored(run, batch, false);
        wake(run);
        succeed();
      },
      onError: fail,
    });
  };

  return {
    append(run: string, entries: readonly Entry[], as: Ownership | undefined): Promise<void> {
      const done = Promise.withResolvers<void>();
      try {
        if (entries.length === 0) return Promise.resolve();
        checkAppend(run, entries, as);
        const texts = entries.map((entry) => JSON.stringify(entry));
        const append = { entries: [...entries], texts, as, term: tails.termOf(as), done };
        const queue = waiting.get(run);
        if (queue) queue.push(append);
        else {
          const started = [append];
          waiting.set(run, started);
          sendNext(run, started);
        }
      } catch (error) {
        done.reject(error);
      }
      return done.promise;
    },
    /** Resolves when nothing is in progress. */
    async idle(): Promise<void> {
      if (waiting.size > 0) await (idle ??= Promise.withResolvers()).promise;
    },
  };
};

const isEnd = ({ event }: Entry): boolean => event.type === "run-end";

/** Whether this is one chunk that continues a run. */
const isExtension = ({ entries, texts, as }: Batch): boolean =>
  entries[0]!.seq > 1 &&
  as?.owner !== "" &&
  !entries.some(isEnd) &&
  (texts.length === 1 || chunksOf(1, texts).length === 1);

const merged = (group: readonly Append[]): Batch => ({
  as: group[0]!.as,
  term: group[0]!.term,
  entries: group.flatMap(({ entries }) => entries),
  texts: group.flatMap(({ texts }) => texts),
});

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
