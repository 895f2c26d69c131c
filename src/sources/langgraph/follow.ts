import type { Event } from "../../events.ts";
import { Refusal } from "../../source.ts";
import { framesOf } from "../upstream/frames.ts";
import { upstreamCut } from "../upstream/refusals.ts";
import { answersOf } from "./answers.ts";
import type { LangGraphConnection } from "./connection.ts";
import type { ProtocolEvent } from "./protocol.ts";
import { type Showing, shown } from "./showing.ts";
import type { Start, Wire } from "./wire.ts";

export interface Following extends Showing {
  readonly connection: LangGraphConnection;
  readonly wire: Wire;
  readonly start: Start;
}

/** Gives up on a stream that repeatedly breaks off without new events. */
const MAX_EMPTY_STREAMS = 20;

/** A server that has lost the events of a run keeps its stream open but sends nothing. */
const QUIET_MS = 10_000;

/** Reads a run to its end, over as many streams as needed: one more after each broken connection and after each interrupt. */
export async function* follow(following: Following): AsyncGenerator<Event> {
  const { wire, decoder, context, earlier } = following;
  let isResumed = earlier !== undefined;
  for (let empty = 0; empty < MAX_EMPTY_STREAMS; empty++) {
    const response = await wire.open();
    if (context.signal.aborted) return;
    if (!response) throw upstreamCut("The connection to the LangGraph server was lost and could not be resumed.");
    for await (const event of eventsOf(response, following, isResumed)) {
      empty = 0;
      yield* shown(following, event);
      if (context.signal.aborted || decoder.end || decoder.isPaused) break;
    }
    await response.body?.cancel().catch(() => {});
    if (context.signal.aborted) return;
    if (!decoder.end && !decoder.isPaused) for (const event of await wire.closed()) yield* shown(following, event);
    if (decoder.end) return;
    isResumed = !decoder.isPaused;
    if (isResumed) continue;
    if (!(yield* answers(following))) return;
    empty = -1;
  }
  throw upstreamCut("The connection to the LangGraph server keeps breaking.");
}

async function* eventsOf(
  response: Response,
  { connection, wire, decoder }: Following,
  isResumed: boolean,
): AsyncGenerator<ProtocolEvent> {
  const path = `${connection.path}/runs/${encodeURIComponent(decoder.run)}`;
  let quietSince = Date.now();
  for await (const frame of framesOf(response, { signal: connection.signal, isHolding: () => isResumed })) {
    if (frame) {
      quietSince = Date.now();
      yield* wire.read(frame);
    } else if (Date.now() - quietSince > QUIET_MS) {
      quietSince = Date.now();
      if (await isOver(connection, path)) throw upstreamCut("The LangGraph server no longer has this run's events.");
    }
  }
}

/** Whether the server says that it does not work on the run. A request that fails temporarily says nothing. */
const isOver = (connection: LangGraphConnection, path: string): Promise<boolean> =>
  connection.json("GET", path).then(
    ({ status }) => status !== "running" && status !== "pending",
    (error: unknown) => {
      if (error instanceof Refusal) return !error.retryable;
      throw error;
    },
  );

/** Waits for the user's answers and sends them. False if the run was stopped in the meantime. */
async function* answers(following: Following): AsyncGenerator<Event, boolean> {
  const { wire, context, start, connection, earlier } = following;
  const given = yield* answersOf(following);
  if (!given) return false;
  // Another process may have sent them before it died.
  const isSent = given.areEarlier && (await connection.ask(connection.path))?.["status"] !== "interrupted";
  if (earlier && isSent) return true;
  await context.stored();
  await wire.respond(given.responses, start);
  return true;
}
