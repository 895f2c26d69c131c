import type { IncomingMessage, ServerResponse } from "node:http";
import { type Action, type Principal, actorOf, onBehalfOf } from "../access.ts";
import { type Command, type Cursor, type Dialect, type RunRef, type ServerFacts, TextReply } from "../dialect.ts";
import type { Log, RunInfo } from "../log.ts";
import type { RunnableAgent, Runner } from "../runner.ts";
import { Refusal } from "../source.ts";
import { frameText, lineSafe } from "../sse.ts";
import type { Audience } from "./audience.ts";
import type { Audit } from "./audit.ts";
import { type BeginOptions, createBegin, threadOf } from "./begin.ts";
import { answerOf, requestOf } from "./history.ts";
import type { Owners } from "./owners.ts";
import type { Readings } from "./readings.ts";
import { reset, tooMany, unlessMissing } from "./refusals.ts";
import { sendJson, sendText } from "./send-json.ts";
import type { Sessions } from "./sessions.ts";
import type { Encoding } from "./encoding.ts";
import { createThreads } from "./threads.ts";
import { cursorAfter, sendWhole } from "./whole-answer.ts";

export interface CommandsOptions {
  readonly log: Log;
  readonly runner: Runner;
  readonly audience: Audience;
  readonly readings: Readings;
  readonly encoding: Encoding;
  readonly sessions: Sessions;
  readonly owners: Owners;
  readonly facts: (principal: Principal) => ServerFacts;
  readonly limits: BeginOptions["limits"] & { readonly streams: number };
  /** Throws a Refusal while the process is too busy for another run. */
  readonly checkLoad: () => void;
  /** Throws a Refusal if the user, or all users together, reached a daily limit. */
  readonly checkQuota: (user: string | undefined) => Promise<void>;
  readonly audit: Audit;
  readonly agent: (name: string | undefined) => RunnableAgent;
  /** A run's position in the queue. Undefined unless it is waiting. */
  readonly position: (run: string) => number | undefined;
  /** Where the server is mounted, without a trailing slash. */
  readonly basePath: string;
  readonly viewers: () => number;
  /** Called for failures after the response. */
  readonly onError: (error: unknown) => void;
}

/** A request and its response. */
export interface Exchange {
  readonly principal: Principal;
  /** The dialect that owns the route. */
  readonly dialect: Dialect;
  readonly query: URLSearchParams;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Executes the command that a dialect has read from a request, and responds. */
export type Commands = (command: Command, exchange: Exchange) => Promise<void>;

type Of<Kind extends Command["do"]> = Extract<Command, { do: Kind }>;

export const createCommands = (options: CommandsOptions): Commands => {
  const { log, runner, audience, audit, readings, encoding, limits, owners } = options;
  const threads = createThreads(log, runner, owners);
  const begin = createBegin({ ...options, threads });

  const infoOf = (run: RunRef, action: Action, { principal }: Exchange): Promise<RunInfo> =>
    typeof run === "string" ? owners.info(principal, action, run) : threads.latest(run, action, principal);

  const checkStreams = (): void => {
    if (options.viewers() < limits.streams) return;
    throw tooMany(
      "too-many-streams",
      `this server has reached its limit of ${limits.streams} open streams`,
      "limits.streams",
    );
  };

  const start = async (command: Of<"start">, asked: Exchange): Promise<void> => {
    const principal = onBehalfOf(asked.principal, command.request.user);
    const exchange = { ...asked, principal };
    const { response } = exchange;
    // Answers start no run, so they require the right to answer.
    owners.allow(principal, command.answers ? "answer" : "start");
    const dialect = encoding.dialectOf(exchange.query, exchange.dialect);
    if (command.whole) checkWhole(dialect);
    if (!command.detached) checkStreams();
    const { run, started, after } = command.answers
      ? { ...(await threads.answer(threadOf(command.request), command.answers, principal)), started: false }
      : { ...(await begin(command, dialect, principal)), after: 0 };
    audit.note(principal, command.answers ? "answer" : started ? "start" : "watch", run);
    const position = started ? options.position(run) : undefined;
    const inLine: Record<string, string> = position === undefined ? {} : { "Runcast-Queue": `${position}` };
    if (command.detached && !command.whole) {
      const path = `${options.basePath}/runs/${run}`;
      return sendJson(
        response,
        202,
        { run, started, ...(position !== undefined && { position }), events: `${path}/events` },
        { "Runcast-Run": run, Location: path, ...inLine },
      );
    }
    const isOurs = started || command.answers !== undefined;
    const cancels = isOurs && (command.disconnect ?? exchange.dialect.disconnect) === "cancel";
    const onCut = () => {
      // Another viewer in this dialect may be the same client after it reconnected. A page that shows the run is not.
      if (audience.count(run, dialect) > 0) return;
      runner.cancel(run, { reason: "the client closed its connection", ...actor(principal) }).catch(options.onError);
    };
    const info = await infoOf(run, started ? "start" : "watch", exchange);
    const chosen = await encoding.optionsOf(command, info, exchange);
    if (command.whole)
      return sendWhole({ log, run, dialect, options: chosen.options }, command.whole, response, {
        after,
        ...(cancels && { onCut }),
      });
    options.sessions.add(principal, response);
    audience.follow({
      ...chosen,
      run,
      dialect,
      log,
      after: { seq: after, frame: 0 },
      headers: { ...encoding.headersOf(run, dialect), ...inLine },
      response,
      ...(cancels && { onCut }),
    });
  };

  const follow = async (command: Of<"follow">, exchange: Exchange): Promise<void> => {
    const { principal, request, response } = exchange;
    const { log: read, states } = readings(principal);
    const dialect = encoding.dialectOf(exchange.query, exchange.dialect);
    const info = await infoOf(command.run, "watch", exchange).catch(unlessMissing(command.ifNone));
    if (!info) return void response.writeHead(command.ifNone ?? 204).end();
    const { run } = info;
    audit.note(principal, "watch", run);
    const { linkBase, options: wanted } = await encoding.optionsOf(command, info, exchange);
    const asked = command.withRequest && { request: await requestOf(read, run) };
    const answer = command.withAnswer && info.endedAt !== undefined && { answer: await answerOf(read, run) };
    const chosen = { linkBase, options: { ...wanted, ...asked, ...answer } };
    const encoded = { log: read, run, dialect, options: chosen.options };
    if (command.whole) checkWhole(dialect);
    // The whole run has no last segment to end with.
    const all = command.from === "run" && { after: Infinity };
    if (command.whole) return sendWhole(encoded, command.whole, response, { ...all });
    const cursor = async (): Promise<Cursor | undefined> => {
      if (command.from === "segment") return { seq: await threads.segmentStart(run), frame: 0 };
      if (command.from === "run") return { seq: 0, frame: 0 };
      if (command.skipFrames) return await cursorAfter(encoded, command.skipFrames);
      return command.after;
    };
    if (command.at !== undefined) await checkEntry(read, run, command.after.seq, command.at);
    const after = await cursor();
    checkCursor(after, info);
    checkStreams();
    if (command.from === "snapshot" && !dialect.snapshot)
      throw new Refusal("no-snapshot", `the ${dialect.name} dialect has no snapshots`, {
        hint: "omit from=snapshot",
      });
    const headers = encoding.headersOf(run, dialect);
    const ended = info.endedAt !== undefined && after.seq === info.seq;
    // Clients that count frames read only streams, even an empty one.
    if (ended && command.skipFrames) return void response.writeHead(200, headers).end();
    if (ended && command.from !== "snapshot") return void response.writeHead(204, { "Runcast-Run": run }).end();
    if (request.method === "HEAD") return void response.writeHead(200, headers).end();
    const folded = command.from === "snapshot" && (await states.snapshot(run));
    const known = folded ? await infoOf(run, "watch", exchange) : info;
    if (folded && known.endedAt !== undefined && known.seq === folded.seq) {
      const frames = dialect.snapshot?.(folded.seq, folded.state) ?? [];
      return void response.writeHead(200, headers).end(lineSafe(frames.map(frameText).join("")));
    }
    options.sessions.add(principal, response);
    audience.follow({
      ...chosen,
      run,
      dialect,
      log: read,
      after: folded ? { seq: folded.seq, frame: 0 } : after,
      headers,
      response,
      ...(folded && { snapshot: folded.state }),
      ...(command.from === "run" && { through: await threads.segmentStart(run) }),
    });
  };

  const answer = async (command: Of<"answer">, exchange: Exchange): Promise<void> => {
    const { principal, response } = exchange;
    const { ask, answer: given } = command;
    const { run } = await infoOf(command.run, "answer", exchange);
    const status = await runner.answer(run, ask, given, actorOf(principal));
    if (status === "accepted") audit.note(principal, "answer", run);
    if (status === "accepted" || status === "same") return sendJson(response, 200, { status });
    if (status === "unknown")
      throw new Refusal("unknown-ask", `run ${run} has no question ${ask.slice(0, 100)}`, {
        status: 404,
        hint: "see the run's ask-start events",
      });
    throw new Refusal(
      status === "conflict" ? "ask-conflict" : "ask-closed",
      status === "conflict" ? "this question already has a different answer" : "this question is no longer open",
      { status: 409, hint: "the first answer wins; see the run's ask-end event" },
    );
  };

  const cancel = async (
    { run: named, agent, call, reason, whole }: Of<"cancel">,
    exchange: Exchange,
  ): Promise<void> => {
    const { principal, dialect, response } = exchange;
    const target = {
      ...actor(principal),
      ...(agent !== undefined && { agent }),
      ...(call !== undefined && { call }),
      ...(reason !== undefined && { reason }),
    };
    const info = await infoOf(named, "cancel", exchange);
    const { run } = info;
    const status = info.endedAt === undefined ? await runner.cancel(run, target) : "ended";
    if (status === "cancelled") audit.note(principal, "cancel", run);
    if (status !== "unknown" && whole) {
      const chosen = await encoding.optionsOf({}, info, exchange);
      return sendWhole({ log, run, dialect, options: chosen.options }, whole, response);
    }
    if (status !== "unknown") return sendJson(response, 200, { status });
    throw new Refusal("not-here", `run ${run} has no such active item in this process`, {
      status: 404,
      hint: "check the ids of the run, the sub-agent or the call",
    });
  };

  return async (command, exchange) => {
    switch (command.do) {
      case "start":
        return start(command, exchange);
      case "follow":
        return follow(command, exchange);
      case "answer":
        return answer(command, exchange);
      case "cancel":
        return cancel(command, exchange);
      case "reply": {
        const reply = await command.reply(options.facts(exchange.principal));
        if (reply instanceof TextReply) return sendText(exchange.response, reply.text);
        return sendJson(exchange.response, 200, reply);
      }
    }
  };
};

const actor = (principal: Principal): { readonly by?: string } => {
  const by = actorOf(principal);
  return by === undefined ? {} : { by };
};

/** Checked before a run is started. */
const checkWhole = ({ name, answer }: Dialect): void => {
  if (!answer)
    throw new Refusal("only-streams", `the ${name} dialect only supports streams`, {
      hint: "request a stream, or omit ?dialect",
    });
};

/** Refuses the cursor of an entry that the engine has lost. The log may have grown past it again, with other entries. */
const checkEntry = async (log: Log, run: string, seq: number, at: number): Promise<void> => {
  const [entry] = seq > 0 ? await log.read(run, seq - 1, 1) : [];
  if (seq === 0 || entry?.at === at) return;
  throw reset(`run ${run} no longer has entry ${seq} of ${at}: the engine lost stored entries`);
};

function checkCursor(after: Cursor | undefined, { seq, run }: RunInfo): asserts after is Cursor {
  if (after && (after.seq < seq || (after.seq === seq && after.frame === 0))) return;
  throw new Refusal("cursor-beyond-end", `run ${run} ends at ${seq}, before the cursor ${after?.seq ?? "given"}`, {
    hint: "resume with the id of a frame of this run, or from 0",
  });
}
