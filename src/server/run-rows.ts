import { setImmediate } from "node:timers/promises";
import type { Entry, Message, Usage } from "../events.ts";
import type { Log, RunInfo } from "../log.ts";
import type { OpenAsk, RunRow, RunSummary } from "../protocol.ts";
import { addUsage } from "../state.ts";

/** The details of each run in a list, in addition to its summary. */
export type RunRows = (runs: readonly RunInfo[]) => Promise<readonly RunRow[]>;

const BATCH = 256;
/** How many open runs are cached, so that listing them again costs only the new entries. */
const MAX_KEPT = 2000;
const TITLE_LENGTH = 200;

/** How many runs are read concurrently. */
const AT_ONCE = 16;

interface Progress {
  seq: number;
  known: ReturnType<typeof startOf>;
  usage: Usage;
  status: string;
  asks: Map<string, OpenAsk>;
}

/**
 * Cost does not depend on the length of the runs: it reads the first and last entry of a finished run, and the new
 * entries of an open one.
 */
export const createRunRows = (log: Log): RunRows => {
  const kept = new Map<string, Progress>();

  const progressOf = async (run: string): Promise<Progress> => {
    const progress = kept.get(run) ?? { seq: 0, known: {}, usage: {}, status: "", asks: new Map<string, OpenAsk>() };
    for (;;) {
      const entries = await log.read(run, progress.seq, BATCH);
      for (const entry of entries) if (entry.seq > progress.seq) advance(progress, entry);
      if (entries.length < BATCH) break;
      await setImmediate();
    }
    kept.delete(run);
    kept.set(run, progress);
    for (const oldest of kept.keys()) if (kept.size > MAX_KEPT) kept.delete(oldest);
    return progress;
  };

  const rowOf = async (info: RunInfo): Promise<RunRow> => {
    const { owner: _owner, epoch: _epoch, user: _user, dropped: _dropped, ...summary } = info;
    const { run, seq, endedAt } = info;
    const row: RunSummary = summary;
    if (endedAt === undefined) {
      const { known, usage, status, asks } = await progressOf(run);
      return { ...row, ...known, usage, ...(status && { status }), asks: [...asks.values()] };
    }
    const first = (await log.read(run, 0, 1))[0]?.event;
    const known = first?.type === "run-start" ? startOf(first) : {};
    kept.delete(run);
    const last = (await log.read(run, seq - 1, 1))[0]?.event;
    if (last?.type !== "run-end") return { ...row, ...known };
    return {
      ...row,
      ...known,
      ...(last.usage && { usage: last.usage }),
      ...(last.error && { problem: last.error.message.slice(0, TITLE_LENGTH) }),
    };
  };

  return async (runs) => {
    const rows: RunRow[] = [];
    for (let at = 0; at < runs.length; at += AT_ONCE) {
      // A run may be dropped while it is listed.
      const read = runs.slice(at, at + AT_ONCE).map((info) => rowOf(info).catch(() => undefined));
      for (const row of await Promise.all(read)) if (row) rows.push(row);
      await setImmediate();
    }
    return rows;
  };
};

/** The beginning of a message, with the names of its files. Empty without a message. */
export const titleOf = (message: Message | undefined): string => {
  const words = message?.content.map((part) =>
    part.type === "text" ? part.text : part.type === "file" ? `[${part.name ?? part.mediaType}]` : "",
  );
  return words?.filter(Boolean).join(" ").slice(0, TITLE_LENGTH) ?? "";
};

const startOf = ({ message, user, model }: Extract<Entry["event"], { type: "run-start" }>) => {
  const title = titleOf(message);
  return {
    ...(title && { title }),
    ...(user && { user: user.name ?? user.id }),
    ...(model !== undefined && { model }),
  };
};

const advance = (progress: Progress, { seq, event }: Entry): void => {
  progress.seq = seq;
  if (event.type === "run-start") progress.known = startOf(event);
  else if (event.type === "step-end") progress.usage = addUsage(progress.usage, event.usage);
  else if (event.type === "status" && event.agent === undefined && event.call === undefined)
    progress.status = event.text;
  else if (event.type === "ask-end") progress.asks.delete(event.ask);
  else if (event.type === "ask-start") {
    const { ask, kind, title, options } = event;
    progress.asks.set(ask, { ask, kind, ...(title !== undefined && { title }), ...(options && { options }) });
  }
};
