import { randomBytes } from "node:crypto";
import type { Entry } from "../events.ts";
import {
  controlText,
  checkRunId,
  checkText,
  checkWriter,
  createLeases,
  edges,
  extendRun,
  lastSeq,
  type Log,
  LogMissing,
  MAX_CONTROLS,
  type Ownership,
  type RunInfo,
  watchers,
  watchersOfAll,
} from "../log.ts";
import { Entries } from "./memory/entries.ts";
import { createRecords } from "./memory/records.ts";
import { createRunIndex } from "./memory/run-index.ts";

export interface MemoryOptions {
  /** How many finished runs are kept. When another run ends, the one that ended first is dropped. Default: 1000. */
  readonly maxRuns?: number;
  /** The clock for leases and for the expiry of records, in milliseconds. For tests. */
  readonly now?: () => number;
}

/**
 * Stores runs in this process's memory, for tests, demos and servers whose runs need not survive a restart. Memory is
 * bounded by `maxRuns`, the size of unfinished runs, and the newest 100,000 ids of dropped runs.
 */
export const memory = ({ maxRuns = 1000, now }: MemoryOptions = {}): Log => {
  const runs = new Map<string, Kept>();
  const dropped = new Map<string, Pick<Kept, "number" | "info">>();
  const files = new Map<string, Map<string, KeptFile>>();
  const ended: Kept[] = [];
  const index = createRunIndex<Kept>();
  const { watch, wake } = watchers();
  const controlWatchers = watchersOfAll();
  const leases = createLeases(now);
  let started = 0;
  let closed = false;

  const add = (run: string, entries: readonly Entry[], as: Ownership | undefined) => {
    if (closed) throw new Error("the log is closed");
    if (entries.length === 0) return;
    const kept = runs.get(run);
    if (kept && !entries.some(isEnd)) {
      // Fast path for nearly every append: only the last seq changes.
      checkWriter(kept.info, as);
      kept.info.seq = lastSeq(run, kept.info.seq, entries);
      for (const entry of entries) kept.entries.push(entry);
    } else begin(run, kept, entries, as);
    wake(run);
  };

  const begin = (run: string, kept: Kept | undefined, entries: readonly Entry[], as: Ownership | undefined) => {
    const before = kept ? kept.info : dropped.get(run)?.info;
    const info = { ...extendRun(run, before, entries, as) };
    if (kept) {
      kept.info = info;
      for (const entry of entries) kept.entries.push(entry);
    } else {
      runs.set(run, { number: started++, info, entries: new Entries(entries) });
      index.add(runs.get(run)!);
    }
    if (info.endedAt === before?.endedAt) return;
    if (before?.endedAt !== undefined) remove(ended, kept!);
    end(runs.get(run)!);
  };

  /** Keeps `ended` sorted by end. A run that ends now belongs at or near the end. */
  const end = (kept: Kept) => {
    kept.controls = undefined;
    let place = ended.length;
    while (place > 0 && endsBefore(kept, ended[place - 1]!)) place--;
    ended.splice(place, 0, kept);
    while (ended.length > maxRuns) forget(ended[0]!);
  };

  const forget = (kept: Kept) => {
    const { run } = kept.info;
    remove(ended, kept);
    runs.delete(run);
    index.remove(kept);
    files.delete(run);
    dropped.set(run, { number: kept.number, info: { ...kept.info, dropped: true } });
    if (dropped.size > MAX_TOMBSTONES) dropped.delete(dropped.keys().next().value!);
  };

  return {
    name: "memory",
    survives: "nothing: runs are lost when the process ends",
    isLasting: false,
    records: createRecords(now ?? Date.now),
    watch,

    append(run, entries, as) {
      try {
        add(run, entries, as);
        return undefined;
      } catch (error) {
        return Promise.reject(error);
      }
    },

    read(run, after, limit) {
      const kept = runs.get(run);
      if (!kept) throw new LogMissing(run, dropped.has(run));
      return kept.entries.read(after, Math.max(1, limit));
    },

    info: (run) => {
      const found = runs.get(run) ?? dropped.get(run);
      return found && { ...found.info };
    },

    async list(query) {
      const { limit, before, open, thread, user, agent } = query;
      const edge = before === undefined ? started : ((runs.get(before) ?? dropped.get(before))?.number ?? 0);
      const found: RunInfo[] = [];
      for (const { number, info } of [...(index.among(query) ?? runs.values())].reverse()) {
        if (found.length >= limit) break;
        if (number >= edge || (open && info.endedAt !== undefined)) continue;
        if (thread !== undefined && info.thread !== thread) continue;
        if (user !== undefined && info.user !== user) continue;
        if (agent === undefined || info.agent === agent) found.push({ ...info });
      }
      return found;
    },

    heartbeat: (owner, leaseMs) => leases.heartbeat(owner, leaseMs),

    async takeOver(run, owner) {
      checkText("owner", owner);
      const info = runs.get(run)?.info;
      if (!info || !leases.mayTake(info, owner)) return undefined;
      info.owner = owner;
      return { owner, epoch: ++info.epoch, seq: info.seq };
    },

    async release(run, as) {
      const info = runs.get(run)?.info;
      if (!info || !leases.mayRelease(info, as)) return;
      info.owner = undefined;
      info.epoch++;
    },

    async orphans(limit) {
      const found: RunInfo[] = [];
      for (const { info } of runs.values()) {
        if (found.length >= limit) break;
        if (leases.isOrphan(info)) found.push({ ...info });
      }
      return found;
    },

    async send(run, control) {
      const text = controlText(control);
      const kept = runs.get(run);
      if (!kept) throw new LogMissing(run, dropped.has(run));
      if (kept.info.endedAt !== undefined) return "ended";
      kept.controls ??= new Map();
      if (kept.controls.has(control.id)) return "queued";
      if (kept.controls.size >= MAX_CONTROLS) return "full";
      kept.controls.set(control.id, text);
      controlWatchers.wake(run);
      return "queued";
    },

    async controls(run, after, limit) {
      const texts = [...(runs.get(run)?.controls?.values() ?? [])].slice(after, after + limit);
      return texts.map((text, index) => ({ number: after + index + 1, control: JSON.parse(text) }));
    },

    watchControls: controlWatchers.watch,

    async put(run, bytes, { mediaType, name }) {
      checkRunId(run);
      checkText("mediaType", mediaType ?? null);
      checkText("name", name);
      if (dropped.has(run)) throw new LogMissing(run, true);
      const file = randomBytes(12).toString("base64url");
      const kept = files.get(run) ?? new Map<string, KeptFile>();
      files.set(run, kept.set(file, { mediaType, name, bytes: Uint8Array.from(bytes) }));
      return { file, mediaType, bytes: bytes.length, name, ...edges(bytes, mediaType) };
    },

    async get(run, file, { start = 0, end = Infinity } = {}) {
      const kept = files.get(run)?.get(file);
      if (!kept) return undefined;
      const bytes = kept.bytes.subarray(Math.max(0, start), Math.max(0, end));
      return { mediaType: kept.mediaType, name: kept.name, size: kept.bytes.length, bytes: once(bytes) };
    },

    async discard(run, gone) {
      for (const file of gone) files.get(run)?.delete(file);
      if (files.get(run)?.size === 0) files.delete(run);
    },

    async drop(run) {
      checkRunId(run);
      const kept = runs.get(run);
      if (!kept) return;
      if (kept.info.endedAt === undefined)
        throw new Error(`run ${run} has not ended: only finished runs can be deleted`);
      forget(kept);
    },

    async retain({ maxAgeMs = Infinity, maxRuns: most = Infinity }, now) {
      const old = ended.findIndex(({ info }) => info.endedAt! >= now - maxAgeMs);
      const count = Math.max(old < 0 ? ended.length : old, ended.length - most);
      const leaving = count > 0 ? ended.slice(0, count) : [];
      leaving.forEach(forget);
      return leaving.length;
    },

    async close() {
      closed = true;
    },
  };
};

interface Kept {
  readonly number: number;
  readonly entries: Entries;
  info: { -readonly [Key in keyof RunInfo]: RunInfo[Key] };
  /** The sent controls as JSON, by id. */
  controls?: Map<string, string> | undefined;
}

interface KeptFile {
  readonly mediaType: string;
  readonly name: string | undefined;
  readonly bytes: Uint8Array;
}

const isEnd = ({ event }: Entry) => event.type === "run-end";

const MAX_TOMBSTONES = 100_000;

const endsBefore = (one: Kept, other: Kept) =>
  one.info.endedAt! - other.info.endedAt! < 0 || (one.info.endedAt === other.info.endedAt && one.number < other.number);

const remove = <Item>(items: Item[], item: Item) => {
  const place = items.indexOf(item);
  if (place >= 0) items.splice(place, 1);
};

async function* once(bytes: Uint8Array) {
  if (bytes.length > 0) yield bytes;
}
