import { setTimeout as sleep } from "node:timers/promises";
import type { Command } from "../../dialect.ts";
import type { Event } from "../../events.ts";
import { isHandedOver, type RunContext } from "../../source.ts";
import type { RemoteConnection } from "./connection.ts";
import type { Continuation } from "./continuation.ts";
import { isTemporary } from "../upstream/refusals.ts";
import { markOf } from "./mark.ts";
import type { Remote } from "./remote.ts";

/** Forwards the user's answers and cancels to the server. */
export interface Steering {
  observe(event: Event): void;
  /** Takes an event of a run that another process followed. Its asks may have been answered already, with the answer lost. */
  observeAgain(event: Event): void;
  /**
   * The known events of the run have been replayed: sends answers to asks that have not ended upstream, and cancels the
   * items that ended only here.
   */
  caughtUp(endedHere?: readonly RemoteItem[]): void;
  /** The notices since the last call. */
  notices(): readonly Event[];
  close(): void;
}

/** A call or a sub-agent. */
export interface RemoteItem {
  kind: "call" | "agent";
  id: string;
}

const TRIES = 5;
/** How long a server may take to report the end of everything after a cancel. */
const STOP_MS = 4000;

/** `theirs` returns the server's id of a call or an ask. */
export const createSteering = (
  remote: Remote,
  connection: RemoteConnection,
  context: RunContext,
  theirs: (id: string) => string,
): Steering => {
  const endedThere = new Set<string>();
  const closed = new AbortController();
  const askedBefore = new Set<string>();
  /** The items whose start was replayed, and that were not cancelled since. */
  const startedBefore = new Set<string>();
  let notices: Event[] = [];

  const notice = (level: "warning" | "error", text: string): void => {
    const { run } = connection;
    const isMarked = run !== undefined && connection.isRuncast;
    notices.push({ type: "notice", level, text, ...(isMarked && markOf(context.run, run)) });
  };

  /** The status of the response, or undefined if there was none. Sending the same command again is safe. */
  const send = async (command: Command): Promise<number | undefined> => {
    let status: number | undefined;
    for (let tries = 0; tries < TRIES && !remote.signal.aborted; tries++) {
      if (tries > 0) await sleep(100 * 2 ** tries, undefined, { signal: remote.signal }).catch(() => {});
      const response = await remote.send(command).catch(() => undefined);
      await response?.body?.cancel().catch(() => {});
      status = response?.status ?? status;
      if (response && !isTemporary(response.status)) break;
    }
    return status;
  };

  const answer = async (ask: string): Promise<void> => {
    const { outcome, answer: given } = await context.answerTo(ask);
    if (outcome !== "answered" || !given || endedThere.has(ask) || closed.signal.aborted) return;
    const { run } = connection;
    if (run === undefined || !remote.can("answer"))
      return notice("warning", "this can only be answered on the upstream server's own page");
    const status = await send({ do: "answer", run, ask: theirs(ask), answer: given });
    if (status === 409) notice("warning", "the upstream server already had another answer");
    else if (status !== 200)
      notice("error", `the answer did not reach the upstream server (${status ?? "no connection"})`);
  };

  /** Sends the answers to all asks, for a dialect that takes them together. Their effects arrive in the stream that is being followed. */
  const answerAll = async (continuation: Continuation): Promise<void> => {
    const next = await continuation.next();
    if (!next || closed.signal.aborted) return;
    const status = await send(next);
    if (status !== 200) notice("error", `the answers did not reach the upstream server (${status ?? "no connection"})`);
  };

  const cancel = async (target: { call?: string; agent?: string; reason?: string }): Promise<boolean> => {
    const { run } = connection;
    const status = run === undefined ? undefined : await send({ do: "cancel", run, ...target });
    return status === 200;
  };

  const cancelItem = ({ kind, id }: RemoteItem): void => {
    if (!context.signal.aborted) void cancel({ [kind]: kind === "call" ? theirs(id) : id });
  };

  const cancelWith = (target: RemoteItem): void => {
    const onAbort = () => cancelItem(target);
    const signal = context.signalOf(target.kind, target.id);
    signal.addEventListener("abort", onAbort, { once: true, signal: closed.signal });
  };

  const stop = async (): Promise<void> => {
    if (isHandedOver(context.signal)) return remote.close();
    const { message } = (context.signal.reason ?? {}) as { message?: unknown };
    const timer = setTimeout(remote.close, STOP_MS);
    closed.signal.addEventListener("abort", () => clearTimeout(timer));
    // A run whose start is still in progress would continue unnoticed.
    await Promise.race([connection.begun, sleep(STOP_MS, undefined, { ref: false })]);
    if (!(await cancel(typeof message === "string" ? { reason: message.slice(0, 1000) } : {}))) remote.close();
  };
  const isSteered = remote.can("cancel");
  // A cancel that was queued while no process followed the run may have arrived already.
  if (isSteered && context.signal.aborted) void stop();
  else if (isSteered)
    context.signal.addEventListener("abort", () => void stop(), { once: true, signal: closed.signal });

  const observe = (event: Event): void => {
    const { continuation, isFollowed } = connection;
    if (continuation?.isDue && isFollowed) void answerAll(continuation);
    if (event.type === "ask-start" && !continuation) void answer(event.ask);
    else if (event.type === "ask-end") {
      endedThere.add(event.ask);
      askedBefore.delete(event.ask);
    } else if (isSteered) {
      const target = startedBy(event);
      if (target) cancelWith(target);
    }
  };

  return {
    observe,
    observeAgain(event) {
      if (event.type === "ask-start") return void askedBefore.add(event.ask);
      observe(event);
      const target = isSteered ? startedBy(event) : undefined;
      if (!target) return;
      // The user may have cancelled it before the replay got here.
      if (context.signalOf(target.kind, target.id).aborted) cancelItem(target);
      else startedBefore.add(nameOf(target));
    },
    caughtUp(endedHere = []) {
      for (const ask of askedBefore) void answer(ask);
      askedBefore.clear();
      // The replay may only have paused. What it has not reached is cancelled later, if it has not ended there.
      for (const target of endedHere) if (startedBefore.delete(nameOf(target))) cancelItem(target);
    },
    notices() {
      const taken = notices;
      notices = [];
      return taken;
    },
    close: () => closed.abort(),
  };
};

const nameOf = ({ kind, id }: RemoteItem): string => `${kind} ${id}`;

const startedBy = (event: Event): RemoteItem | undefined => {
  if (event.type === "tool-start") return { kind: "call", id: event.call };
  return event.type === "agent-start" ? { kind: "agent", id: event.agent } : undefined;
};
