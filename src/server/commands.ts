import type { IncomingMessage, ServerResponse } from "node:http";
import { type Action, type Principal, actorOf, may, startedBy } from "../access.ts";
import type { Command, Cursor, Dialect, EncodeOptions, RunRef, ServerFacts } from "../dialect.ts";
import type { Log, RunInfo } from "../log.ts";
import type { RunnableAgent, Runner } from "../runner.ts";
import { Refusal, type RunRequest } from "../source.ts";
import { frameText, lineSafe } from "../sse.ts";
import type { Audience } from "./audience.ts";
import { historyOf } from "./history.ts";
import { missing, taken, tooMany } from "./refusals.ts";
import type { Owners } from "./owners.ts";
import { sendJson } from "./send-json.ts";
import type { States } from "./states.ts";
import { createThreads } from "./threads.ts";
import { cursorAfter, sendWhole } from "./whole-answer.ts";

export interface CommandsOptions {
  readonly log: Log;
  readonly runner: Runner;
  readonly audience: Audience;
  readonly states: States;
  readonly dialects: readonly Dialect[];
  readonly owners: Owners;
  readonly facts: (principal: Principal) => ServerFacts;
  readonly limits: { readonly concurrentRuns: number; readonly streams: number };
  readonly agent: (name: string | undefined) => RunnableAgent;
  /** The URL of a file beside the log of this run, for a client that reached us at `base`. */
  readonly link: (base: string, info: RunInfo, file: string) => string;
  /** The URL of the page with this run on it. */
  readonly page: (base: string, info: RunInfo, access: "read" | "answer") => string;
  /** Where the server is mounted, without a slash at the end. */
  readonly basePath: string;
  readonly base: (request: IncomingMessage) => string;
  readonly viewers: () => number;
  /** Told of what fails after the answer. */
  readonly onError: (error: unknown) => void;
}

/** A request, and where it is answered. */
export interface Exchange {
  readonly principal: Principal;
  /** The one that has the route. */
  readonly dialect: Dialect;
  readonly query: URLSearchParams;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Does what a dialect has read from a request, and answers it. */
export type Commands = (command: Command, exchange: Exchange) => Promise<void>;

type Of<Kind extends Command["do"]> = Extract<Command, { do: Kind }>;

export const createCommands = (options: CommandsOptions): Commands => {
  const { log, runner, audience, states, dialects, limits, owners } = options;
  const threads = createThreads(log, runner, owners);

  const infoOf = (run: RunRef, action: Action, { principal }: Exchange): Promise<RunInfo> =>
    typeof run === "string" ? owners.info(principal, action, run) : threads.latest(run, action, principal);

  const dialectOf = ({ query, dialect }: Exchange): Dialect => {
    const name = query.get("dialect");
    if (name === null) return dialect;
    const found = dialects.find((other) => other.name === name);
    if (found) return found;
    const names = dialects.map((other) => other.name).join(", ");
    throw new Refusal("unknown-dialect", `there is no dialect ${name.slice(0, 40)}`, { hint: `there are: ${names}` });
  };

  const headersOf = (run: string, dialect: Dialect): Record<string, string> => ({
    "Content-Type": dialect.contentType,
    "Cache-Control": "no-cache",
    "X-Accel-Buffering": "no",
    "Runcast-Run": run,
    ...dialect.headers,
  });

  const encodeOptions = (
    { style, extensions }: Pick<Of<"start">, "style" | "extensions">,
    info: RunInfo,
    base: string,
  ): EncodeOptions => ({
    ...(style !== undefined && { style }),
    ...(extensions !== undefined && { extensions }),
    link: ({ file }) => options.link(base, info, file),
    page: (access) => options.page(base, info, access),
  });

  const checkStreams = (): void => {
    if (options.viewers() < limits.streams) return;
    throw tooMany("too-many-streams", `${limits.streams} streams are open already`, "limits.streams");
  };

  /** The request with what it continues before its own messages. */
  const withHistory = async ({ request, continues }: Of<"start">, principal: Principal): Promise<RunRequest> => {
    if (continues === undefined) return request;
    const isThread = typeof continues !== "string";
    const info = await (isThread
      ? threads.latest(continues, "watch", principal).catch(unlessMissing(200))
      : log.info(continues));
    if (isThread && !info) return request;
    if (!info || info.dropped || !may(principal, "watch", info))
      throw missing(`there is no run ${String(continues).slice(0, 100)} to continue`, false);
    const { run } = info;
    if (info.endedAt === undefined)
      throw new Refusal("run-open", `run ${run} has not ended yet`, { hint: "wait for its end, or cancel it" });
    return { ...request, messages: [...(await historyOf(log, run)), ...request.messages] };
  };

  const start = async (command: Of<"start">, exchange: Exchange): Promise<void> => {
    const { principal, response } = exchange;
    owners.allow(principal, "start");
    const dialect = dialectOf(exchange);
    if (!command.detached) checkStreams();
    const { run, started, after } = command.answers
      ? { ...(await threads.answer(threadOf(command.request), command.answers, principal)), started: false }
      : { ...(await begin(command, dialect, principal)), after: 0 };
    if (command.detached && !command.whole) {
      const path = `${options.basePath}/runs/${run}`;
      return sendJson(
        response,
        202,
        { run, started, events: `${path}/events` },
        { "Runcast-Run": run, Location: path },
      );
    }
    const base = options.base(exchange.request);
    const isOurs = started || command.answers !== undefined;
    const cancels = isOurs && (command.disconnect ?? exchange.dialect.disconnect) === "cancel";
    const onCut = () => {
      if (audience.count(run) > 0) return;
      runner.cancel(run, { reason: "the client closed its connection", ...actor(principal) }).catch(options.onError);
    };
    const encode = encodeOptions(command, await infoOf(run, started ? "start" : "watch", exchange), base);
    if (command.whole)
      return sendWhole({ log, run, dialect, options: encode }, command.whole, response, {
        after,
        ...(cancels && { onCut }),
      });
    audience.follow({
      run,
      dialect,
      options: encode,
      linkBase: base,
      after: { seq: after, frame: 0 },
      headers: headersOf(run, dialect),
      response,
      ...(cancels && { onCut }),
    });
  };

  const begin = async (command: Of<"start">, dialect: Dialect, principal: Principal) => {
    const agent = options.agent(command.request.agent);
    const known = command.request.run === undefined ? undefined : await log.info(command.request.run);
    if (known && !may(principal, "watch", known)) throw taken(known.run);
    if (known?.dropped) throw missing(`run ${known.run} was dropped`, true);
    if (!known && runner.active >= limits.concurrentRuns)
      throw tooMany(
        "too-many-runs",
        `as many runs are at work as this server takes (${limits.concurrentRuns})`,
        "limits.concurrentRuns",
      );
    const { thread } = command.request;
    if (!known && dialect.segments && thread !== undefined)
      await threads.refuseWhileAsked({ thread, agent: agent.name }, principal);
    const { user: named, ...request } = await withHistory(command, principal);
    const user = startedBy(principal, named);
    return await runner.start({ ...request, ...(user && { user }) }, agent);
  };

  const follow = async (command: Of<"follow">, exchange: Exchange): Promise<void> => {
    const { request, response } = exchange;
    const dialect = dialectOf(exchange);
    const info = await infoOf(command.run, "watch", exchange).catch(unlessMissing(command.ifNone));
    if (!info) return void response.writeHead(command.ifNone ?? 204).end();
    const { run } = info;
    const base = options.base(request);
    const encode = encodeOptions(command, info, base);
    if (command.whole) return sendWhole({ log, run, dialect, options: encode }, command.whole, response);
    const cursor = async (): Promise<Cursor | undefined> => {
      if (command.from === "segment") return { seq: await threads.segmentStart(run), frame: 0 };
      if (command.from === "run") return { seq: 0, frame: 0 };
      if (command.skipFrames) return await cursorAfter({ log, run, dialect, options: encode }, command.skipFrames);
      return command.after;
    };
    const after = await cursor();
    checkCursor(after, info);
    checkStreams();
    if (command.from === "snapshot" && !dialect.snapshot)
      throw new Refusal("no-snapshot", `the dialect ${dialect.name} has no snapshots`, {
        hint: "leave out from=snapshot",
      });
    const headers = headersOf(run, dialect);
    const ended = info.endedAt !== undefined && after.seq === info.seq;
    // Whoever counts frames reads streams alone, even one that has nothing more to say.
    if (ended && command.skipFrames) return void response.writeHead(200, headers).end();
    if (ended && command.from !== "snapshot") return void response.writeHead(204, { "Runcast-Run": run }).end();
    if (request.method === "HEAD") return void response.writeHead(200, headers).end();
    const folded = command.from === "snapshot" && (await states(run));
    const known = folded ? await infoOf(run, "watch", exchange) : info;
    if (folded && known.endedAt !== undefined && known.seq === folded.seq) {
      const frames = dialect.snapshot?.(folded.seq, folded.state) ?? [];
      return void response.writeHead(200, headers).end(lineSafe(frames.map(frameText).join("")));
    }
    audience.follow({
      run,
      dialect,
      options: encode,
      linkBase: base,
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
    if (status === "accepted" || status === "same") return sendJson(response, 200, { status });
    if (status === "unknown")
      throw new Refusal("unknown-ask", `run ${run} does not ask ${ask.slice(0, 100)}`, {
        status: 404,
        hint: "the run's ask-start events name what it asks",
      });
    throw new Refusal(
      status === "conflict" ? "ask-conflict" : "ask-closed",
      status === "conflict" ? "this was answered already, and differently" : "this is no longer asked",
      { status: 409, hint: "the first answer wins; the run's ask-end event has it" },
    );
  };

  const cancel = async (
    { run: named, agent, call, reason, whole }: Of<"cancel">,
    exchange: Exchange,
  ): Promise<void> => {
    const { principal, dialect, request, response } = exchange;
    const target = {
      ...actor(principal),
      ...(agent !== undefined && { agent }),
      ...(call !== undefined && { call }),
      ...(reason !== undefined && { reason }),
    };
    const info = await infoOf(named, "cancel", exchange);
    const { run } = info;
    const status = info.endedAt === undefined ? await runner.cancel(run, target) : "ended";
    if (status !== "unknown" && whole) {
      const encode = encodeOptions({}, info, options.base(request));
      return sendWhole({ log, run, dialect, options: encode }, whole, response);
    }
    if (status !== "unknown") return sendJson(response, 200, { status });
    throw new Refusal("not-here", `run ${run} has nothing such at work in this process`, {
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
      case "reply":
        return sendJson(exchange.response, 200, await command.reply(options.facts(exchange.principal)));
    }
  };
};

const threadOf = ({ thread, agent }: RunRequest): Exclude<RunRef, string> => {
  if (thread !== undefined) return { thread, ...(agent !== undefined && { agent }) };
  throw new Refusal("no-thread", "answers need the thread whose run asked for them", { hint: "send the thread's id" });
};

/** Takes the lack of a run for an answer, where there is one for it. */
const unlessMissing = (status: number | undefined) => (error: unknown) => {
  if (status !== undefined && error instanceof Refusal && error.status === 404) return undefined;
  throw error;
};

const actor = (principal: Principal): { readonly by?: string } => {
  const by = actorOf(principal);
  return by === undefined ? {} : { by };
};

function checkCursor(after: Cursor | undefined, { seq, run }: RunInfo): asserts after is Cursor {
  if (after && (after.seq < seq || (after.seq === seq && after.frame === 0))) return;
  throw new Refusal("cursor-beyond-end", `run ${run} ends at ${seq}, before the cursor ${after?.seq ?? "given"}`, {
    hint: "resume with the id of a frame of this run, or from 0",
  });
}
