import { Client, ProtocolError, ProtocolErrorCode, type Tool } from "@modelcontextprotocol/client";
import { PROTOCOL } from "../../protocol.ts";
import type { McpOptions, McpServerOptions } from "../mcp.ts";
import { APPS, isForModels } from "./show-app.ts";
import { elicit } from "./elicit.ts";
import { type InFlight, inFlight } from "./in-flight.ts";
import { reason } from "./reason.ts";
import { GAVE_UP, OVERFLOW, transport } from "./transport.ts";

/** The connection to one server: opened on demand, shared, and reopened when lost. */
export interface ServerConnection {
  readonly name: string;
  readonly server: McpServerOptions;
  readonly calls: InFlight;
  readonly isOpen: boolean;
  /** It failed recently and is not retried yet. */
  readonly isWaiting: boolean;
  /** How many times an open connection was lost, and the last reason. */
  readonly deaths: number;
  readonly lastDeath: string;
  /** Resolves when it is open. Rejects with an error that explains why the server is down. */
  ready(refresh?: boolean): Promise<OpenConnection>;
  /** Drops an open connection that turned out to be dead. Returns the reason that was first reported. */
  lose(open: OpenConnection, why: string): string;
  /** Keeps the connection open until all holders have released it and the idle time has passed. */
  hold(): () => void;
  close(): Promise<void>;
}

export interface OpenConnection {
  readonly client: Client;
  readonly tools: readonly Tool[];
}

/** A connection that lasted longer than this resets the backoff. Otherwise each failure increases it. */
const STEADY_MS = 10_000;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;

export const connect = (
  name: string,
  server: McpServerOptions,
  options: McpOptions & { readonly guarded?: boolean },
): ServerConnection => {
  const { connectMs = 10_000, idleMs = 300_000 } = options;
  const calls = inFlight();
  const state = { failures: 0, retryAt: 0, down: "", deaths: 0, lastDeath: "", holds: 0 };
  let current: (OpenConnection & { readonly since: number; tools: readonly Tool[]; stale: boolean }) | undefined;
  let opening: Promise<OpenConnection> | undefined;
  let idle: NodeJS.Timeout | undefined;
  let isLegacy = false;

  const failed = (why: string) => {
    state.failures += 1;
    state.down = why;
    const wait = state.failures === 1 ? 0 : FIRST_WAIT_MS * 2 ** (state.failures - 2);
    state.retryAt = Date.now() + Math.min(wait, LONGEST_WAIT_MS);
  };
  const reasons = new WeakMap<Client, string>();
  const lose = ({ client }: OpenConnection, why: string): string => {
    const known = reasons.get(client);
    if (known !== undefined) return known;
    reasons.set(client, why);
    if (current?.client !== client) return why;
    if (Date.now() - current.since > STEADY_MS) state.failures = 0;
    current = undefined;
    state.deaths += 1;
    state.lastDeath = why.replace(/\.$/, "");
    failed(why);
    void client.close().catch(() => {});
    return why;
  };
  const list = async (client: Client) =>
    (await client.listTools(undefined, { timeout: connectMs, cacheMode: "refresh" })).tools.filter(isForModels);

  const open = async (): Promise<OpenConnection> => {
    const client = clientOf(name, options, calls, () => {
      if (current?.client === client) current.stale = true;
    });
    try {
      const prior = isLegacy ? { prior: { kind: "legacy" as const } } : {};
      const flooded = () => void (current?.client === client && lose(current, "it sends too many messages."));
      await client.connect(transport(server, options, calls, flooded), { timeout: connectMs, ...prior });
      isLegacy = client.getProtocolEra() === "legacy";
      if (isLegacy && client.getServerCapabilities()?.logging)
        await client.setLoggingLevel("warning", { timeout: connectMs }).catch(() => {});
      const opened = { client, tools: await list(client), since: Date.now(), stale: false };
      Object.assign(client, {
        onclose: () => lose(opened, "it closed the connection."),
        onerror: ({ message }: Error) => {
          if (GAVE_UP.test(message)) lose(opened, "it stopped responding.");
          if (OVERFLOW.test(message)) lose(opened, "its response is too large.");
        },
      });
      current = opened;
      return opened;
    } catch (error) {
      await client.close().catch(() => {});
      failed(reason(error, server));
      throw new Error(state.down, { cause: error });
    }
  };

  const close = async () => {
    clearTimeout(idle);
    await opening?.catch(() => {});
    const { client } = current ?? {};
    current = undefined;
    await client?.close().catch(() => {});
  };

  return {
    name,
    server,
    calls,
    get isOpen() {
      return current !== undefined;
    },
    get isWaiting() {
      return !opening && Date.now() < state.retryAt;
    },
    get deaths() {
      return state.deaths;
    },
    get lastDeath() {
      return state.lastDeath;
    },
    async ready(refresh = false) {
      const found = current;
      if (found && (found.stale || (refresh && "url" in server))) {
        found.stale = false;
        try {
          found.tools = await list(found.client);
        } catch (error) {
          lose(found, reason(error, server));
        }
      }
      if (current) return current;
      if (!opening && Date.now() < state.retryAt) throw new Error(state.down);
      opening ??= calls.apart(open).finally(() => (opening = undefined));
      return opening;
    },
    lose,
    hold() {
      clearTimeout(idle);
      state.holds += 1;
      let held = true;
      return () => {
        if (!held) return;
        held = false;
        state.holds -= 1;
        if (state.holds === 0) idle = setTimeout(() => void close(), idleMs).unref();
      };
    },
    close,
  };
};

const clientOf = (name: string, { roots, connectMs = 10_000 }: McpOptions, calls: InFlight, changed: () => void) => {
  const client = new Client(
    { name: "runcast", version: String(PROTOCOL) },
    {
      versionNegotiation: { mode: "auto", probe: { timeoutMs: connectMs } },
      capabilities: { elicitation: { form: {}, url: {} }, ...(roots && { roots: {} }), extensions: APPS },
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: changed } },
    },
  );
  client.setRequestHandler("elicitation/create", async ({ params }) => {
    const related = params._meta?.["io.modelcontextprotocol/related-task"] as { taskId?: string } | undefined;
    const call = calls.owner(related?.taskId);
    if (!call) throw new ProtocolError(ProtocolErrorCode.InvalidRequest, "It is not clear which call this belongs to.");
    if (!call.bounds.mayAsk())
      throw new ProtocolError(ProtocolErrorCode.InvalidRequest, "This call has asked too many questions.");
    return elicit(name, params, call.context);
  });
  if (roots) client.setRequestHandler("roots/list", () => ({ roots: roots.map((uri) => ({ uri })) }));
  client.fallbackRequestHandler = async ({ method }) => {
    throw new ProtocolError(ProtocolErrorCode.MethodNotFound, `This client does not support ${method}.`);
  };
  // The client's own handler forgets a call with its response, and would lose progress that arrives together with the
  // response.
  client.setNotificationHandler("notifications/progress", ({ params: { progressToken, progress, total, message } }) =>
    calls.of(progressToken)?.bounds.progress({
      ...(total ? { fraction: progress / total } : { value: progress }),
      ...(message !== undefined && { note: message }),
    }),
  );
  // A server's log messages are treated like the stderr of a program. Below warning they are noise.
  client.setNotificationHandler("notifications/message", ({ params: { level, logger, data } }) => {
    if (!LOUD.has(level)) return;
    const text = typeof data === "string" ? data : JSON.stringify(data);
    calls.owner()?.bounds.logged(`${level}: ${logger ? `${logger}: ` : ""}${text}\n`);
  });
  return client;
};

const LOUD = new Set(["warning", "error", "critical", "alert", "emergency"]);
