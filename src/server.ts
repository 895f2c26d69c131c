import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { holderOf } from "./access.ts";
import type { ServerFacts } from "./dialect.ts";
import { type CloseOptions, createRunner, type Runner } from "./runner.ts";
import { basePathOf, originsOf, reachedAt } from "./server/addresses.ts";
import { agentOf } from "./server/agents.ts";
import { createApi } from "./server/api.ts";
import { createAudit } from "./server/audit.ts";
import { createDeletions } from "./server/deletions.ts";
import { embeddedPage } from "./server/embedded-page.ts";
import { createKeys } from "./server/keys.ts";
import { createAudience } from "./server/audience.ts";
import { createCommands } from "./server/commands.ts";
import { answerFetch, type FetchEnvironment } from "./server/fetching.ts";
import { createGuard, isLoopback } from "./server/guard.ts";
import { createHandler } from "./server/handler.ts";
import { limitsOf } from "./server/limits.ts";
import { createVerifyJwt } from "./server/jwt.ts";
import { createLinks } from "./server/links.ts";
import { createListening } from "./server/listening.ts";
import { countedLog, countRefusal, createEventCounter, createMetrics, watchEventLoop } from "./server/metrics.ts";
import { metricsText } from "./server/metrics-text.ts";
import type { ServerOptions } from "./server/options.ts";
import { createBodyBudget } from "./server/body-budget.ts";
import { createReadBody } from "./server/body.ts";
import { createQuotas } from "./server/quotas.ts";
import { type Load, watchLoad } from "./server/load.ts";
import { createRunQueue } from "./server/run-queue.ts";
import { createTokenQuota } from "./server/token-quota.ts";
import { createOwners } from "./server/owners.ts";
import { createRates } from "./server/rates.ts";
import { createReadiness } from "./server/readiness.ts";
import { createReadings } from "./server/readings.ts";
import { createRunDetails } from "./server/run-details.ts";
import { createRouter } from "./server/router.ts";
import { createSessions } from "./server/sessions.ts";
import { createEncoding } from "./server/encoding.ts";
import type { Refusal } from "./source.ts";
import { createTraces } from "./traces.ts";

export type { Page, ServerOptions, ServerProblem } from "./server/options.ts";

export interface RuncastServer {
  readonly runner: Runner;
  /**
   * Takes over or ends the runs that an earlier process left open, once, and returns how many. `listen` and the first
   * request call this automatically, and requests wait for it.
   */
  recover(): Promise<number>;
  /** Listens on its own port. Rejects if that would be unsafe. */
  listen(): Promise<{ readonly url: string; readonly port: number }>;
  /** Handles requests of another program's HTTP server: `app.use("/runcast", server.listener)` in Express. */
  readonly listener: (request: IncomingMessage, response: ServerResponse) => void;
  /**
   * Handles a fetch request: `app.all("/runcast/*", (c) => server.fetch(c.req.raw, c.env))` in Hono. Without a key, it
   * serves only connections that `environment` shows to be on a loopback address.
   */
  fetch(request: Request, environment?: FetchEnvironment): Promise<Response>;
  /**
   * Accepts nothing new, interrupts active runs, ends every stream, and finishes within a few seconds. `handOverMs`: first
   * leaves runs to other processes for up to that long, serving requests but refusing new runs (503).
   */
  close(options?: CloseOptions): Promise<void>;
}

const FLUSH_MS = 1000;

export const createServer = (options: ServerOptions): RuncastServer => {
  const { dialects, host = "127.0.0.1", version = "0.0.0", onProblem = () => {} } = options;
  const limits = limitsOf(options.limits);
  const keys = [...[options.key ?? []].flat().map(holderOf), ...(options.keys ?? [])];
  const basePath = basePathOf(options.basePath);
  const frameAncestors = originsOf("frameAncestors", options.frameAncestors);
  if (keys.some(({ key }) => key.length < 8)) throw new Error("the key setting must have at least 8 characters");
  const metrics = createMetrics();
  const countEvent = createEventCounter(metrics);
  const quotas = createQuotas(countedLog(options.log, metrics), limits, (error) => onProblem({ error }));
  const details = createRunDetails(quotas.log);
  const { writing: log } = details;
  const tokens = createTokenQuota(log.records, limits, (error) => onProblem({ error }));
  const queue = createRunQueue(limits);
  const budget = createBodyBudget(limits.pendingBodyBytes);
  const readBody = createReadBody(limits.bodyBytes, limits.filesBytes, budget);
  const traces = createTraces(version, (error) => onProblem({ error }));
  const runner = createRunner({
    onProblem: (error) => onProblem({ error }),
    findAgent: (name) => {
      const source = Object.hasOwn(options.agents, name) ? options.agents[name] : undefined;
      return source && queue.queued({ name, source });
    },
    ...options.runner,
    log,
    onCut: (run) => {
      audience.cut(run);
      options.runner?.onCut?.(run);
    },
    observe: (observed, event) => {
      tokens.observe(observed.request.user?.id, event);
      countEvent(observed, event);
      options.runner?.observe?.(observed, event);
    },
    onEnd: (ended) => {
      metrics.runs[ended.end.outcome]++;
      traces.record(ended);
      return options.runner?.onEnd?.(ended);
    },
  });
  const owners = createOwners(log);
  const readings = createReadings(log, details);
  const onError = (error: unknown) => onProblem({ error });
  const onRefused = ({ status, code }: Refusal) => {
    countRefusal(metrics, status, code);
    options.onRefused?.({ status, code });
  };
  const storedKeys = createKeys({ records: log.records, configured: keys });
  const { knows: knowsKey } = storedKeys;
  const audit = createAudit(log.records, onError);
  const links = createLinks({ records: log.records, secret: options.secret, knowsKey, onError });
  const sessions = createSessions(links, knowsKey, onError);
  const hasKeys = keys.length > 0 || options.jwt !== undefined;
  const router = createRouter(dialects);
  const audience = createAudience({
    log,
    metrics,
    waiting: (run) => runner.waiting(run) ?? { waiting: "agent", since: Date.now() },
    onProblem: (error, run) => onProblem({ error, run }),
  });
  let closing = false;
  let closed: Promise<void> | undefined;
  let ready = false;
  let loopDelay: ReturnType<typeof watchEventLoop> | undefined;
  let load: Load | undefined;

  const guard = createGuard({
    keys,
    keyInPath: options.keyInPath ?? false,
    hosts: options.hosts ?? [],
    origins: options.origins ?? [],
    basePath,
    rates: createRates(limits, Number(options.trustProxy ?? 0)),
    links,
    storedKeys,
    verifyJwt: options.jwt && createVerifyJwt(options.jwt),
  });
  const facts: ServerFacts = {
    version,
    agents: Object.entries(options.agents).map(([name, { about }]) => ({ name, ...about })),
    missingKeys: async (name) => (await options.agents[name]?.missingKeys?.()) ?? [],
    accepts: async (name) => options.agents[name]?.accepts?.(),
    ...(options.defaultAgent !== undefined && { defaultAgent: options.defaultAgent }),
    ...(options.validateServer && { validateServer: options.validateServer }),
  };
  const api = createApi({
    readings,
    owners,
    links,
    sessions,
    router,
    dialects,
    facts,
    basePath,
    readBody,
    budget,
    limits,
    checkQuota: quotas.check,
    claim: quotas.claim,
    page: options.page,
    frameAncestors,
    redact: options.redact ?? [],
    readiness: createReadiness(log, () => (closing ? "stopping" : ready ? "ready" : "starting"), onError),
    onRefused,
    log,
    audit,
    keys: storedKeys,
    configuredKeys: keys,
    hasKeys,
    deletions: createDeletions({ log, runner, owners, links, audit }),
    metrics: () =>
      metricsText(metrics, {
        activeRuns: runner.active,
        queuedRuns: queue.waiting,
        waiting: runner.states(),
        viewersBehind: audience.behind,
        loopDelay: (percent) => loopDelay?.quantile(percent) ?? 0,
      }),
    onError: (error, path) => onProblem({ error, path }),
  });
  const commands = createCommands({
    log,
    runner,
    audience,
    readings,
    sessions,
    owners,
    encoding: createEncoding({
      dialects,
      links,
      hasKeys,
      isFramed: options.page !== undefined && frameAncestors.length > 0,
      base: (request) => options.publicUrl?.replace(/\/$/, "") ?? reachedAt(request) + basePath,
    }),
    facts: (principal) => ({
      ...facts,
      latestData: async (thread) => {
        const { runs } = await owners.list(principal, { thread, limit: 1 });
        return runs[0] ? await readings(principal).states.data(runs[0].run) : new Map();
      },
      embed: (run, embed) => embeddedPage({ log, owners, readings }, principal, run, embed),
    }),
    limits,
    checkLoad: () => load?.check(),
    checkQuota: async (user) => {
      await quotas.check(user);
      await tokens.check(user);
    },
    audit,
    agent: (name) => queue.queued(agentOf(options, name)),
    position: queue.position,
    basePath,
    viewers: () => metrics.viewers,
    onError,
  });

  let recovering: Promise<number> | undefined;
  const recover = (): Promise<number> => {
    recovering ??= runner.recover().then(
      (count) => {
        loopDelay ??= watchEventLoop();
        load ??= watchLoad(limits.loopDelayMs);
        ready = true;
        return count;
      },
      (error: unknown) => {
        // The next request retries.
        recovering = undefined;
        throw error;
      },
    );
    return recovering;
  };

  const handle = createHandler({
    guard,
    router,
    api,
    commands,
    basePath,
    readBody,
    starting: () => (ready ? undefined : recover()),
    closing: () => closing,
    onRefused,
    onProblem,
  });
  const listener = (request: IncomingMessage, response: ServerResponse): void =>
    void handle(request, response, (url, principal) => {
      request.url = url;
      return api.listener(request, response, principal);
    });
  const listening = createListening(listener);

  const shutDown = async (options: CloseOptions): Promise<void> => {
    closing = true;
    // Viewers continue to see their run here while it moves to another process.
    if (options.handOverMs === undefined) listening.stop();
    await runner.close(options);
    listening.stop();
    // By now every run has ended or has another owner. Streams still open after a moment wait for another process.
    const deadline = Date.now() + FLUSH_MS;
    while (metrics.viewers > 0 && Date.now() < deadline) await sleep(5);
    audience.close();
    await listening.closed();
    loopDelay?.stop();
    load?.stop();
    await quotas.close();
    await tokens.close();
    await Promise.race([traces.close(), sleep(FLUSH_MS, undefined, { ref: false })]);
  };

  return {
    runner,
    recover,
    listen: async () => {
      if (!isLoopback(host) && !hasKeys)
        throw new Error(`listening on ${host}, which others can reach, needs the key setting (or host: "127.0.0.1")`);
      await recover();
      return await listening.listen(options.port ?? 0, host);
    },
    listener,
    fetch: (request, environment = {}) =>
      answerFetch(request, environment, (incoming, outgoing, adopt) =>
        handle(incoming, outgoing, async (url, principal) => {
          const { method, headers, signal } = request;
          const asked = new Request(new URL(url, request.url), { method, headers, signal });
          adopt(await api.fetch(asked, { incoming, outgoing, principal }));
        }),
      ),
    close: (options = {}) => (closed ??= shutDown(options)),
  };
};
