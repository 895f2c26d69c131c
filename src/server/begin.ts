import { type Principal, may, startedBy } from "../access.ts";
import type { Command, Dialect, RunRef } from "../dialect.ts";
import type { Log } from "../log.ts";
import type { RunnableAgent, Runner } from "../runner.ts";
import { Refusal, type RunRequest } from "../source.ts";
import { checkAttachments, type FileLimits } from "./attachments.ts";
import { historyOf } from "./history.ts";
import { missing, taken, unlessMissing } from "./refusals.ts";
import type { Threads } from "./threads.ts";

type Start = Extract<Command, { do: "start" }>;

export interface BeginOptions {
  readonly log: Log;
  readonly runner: Runner;
  readonly threads: Threads;
  /** Throws a Refusal while the process is too busy for another run. */
  readonly checkLoad: () => void;
  readonly limits: FileLimits;
  readonly checkQuota: (user: string | undefined) => Promise<void>;
  readonly agent: (name: string | undefined) => RunnableAgent;
}

/** Starts the run that a command requests, or finds it if its id is known. May throw a Refusal. */
export type Begin = (
  command: Start,
  dialect: Dialect,
  principal: Principal,
) => Promise<{ readonly run: string; readonly started: boolean }>;

export const createBegin = ({
  log,
  runner,
  threads,
  limits,
  checkLoad,
  checkQuota,
  agent: agentOf,
}: BeginOptions): Begin => {
  /** The request, with the messages that it continues before its own. */
  const withHistory = async ({ request, continues }: Start, principal: Principal): Promise<RunRequest> => {
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
      throw new Refusal("run-open", `run ${run} has not ended yet`, { hint: "wait until it ends, or cancel it" });
    return { ...request, messages: [...(await historyOf(log, run)), ...request.messages] };
  };

  return async (command, dialect, principal) => {
    const agent = agentOf(command.request.agent);
    const known = command.request.run === undefined ? undefined : await log.info(command.request.run);
    if (known && !may(principal, "watch", known)) throw taken(known.run);
    if (known?.dropped) throw missing(`run ${known.run} was deleted`, true);
    if (!known) checkLoad();
    const { thread } = command.request;
    if (!known && dialect.segments && thread !== undefined)
      await threads.refuseWhileAsked({ thread, agent: agent.name }, principal);
    const { user: named, ...request } = await withHistory(command, principal);
    const user = startedBy(principal, named);
    if (!known) await checkQuota(user?.id);
    if (!known) await checkAttachments(log, limits, request, principal);
    return await runner.start({ ...request, ...(user && { user }) }, agent);
  };
};

export const threadOf = ({ thread, agent }: RunRequest): Exclude<RunRef, string> => {
  if (thread !== undefined) return { thread, ...(agent !== undefined && { agent }) };
  throw new Refusal("no-thread", "answers must name the thread of the run that asked for them", {
    hint: "send the thread's id",
  });
};
