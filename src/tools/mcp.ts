import { Refusal, type RunRequest } from "../source.ts";
import type { OpenToolkit, Tool, Toolkit } from "../tool.ts";
import { type ServerConnection, connect } from "./mcp/connect.ts";
import { names } from "./mcp/names.ts";
import { hasCode } from "./mcp/reason.ts";
import { serverTools } from "./mcp/server-tools.ts";
import { messageOf } from "../message-of.ts";

export interface McpOptions {
  /** Servers by name, which prefixes the names of their tools: `weather` has `weather__get_forecast`. */
  readonly servers?: Readonly<Record<string, McpServerOptions>>;
  /** Whether a request may name additional servers, over HTTP only. Default: true. */
  readonly fromRequest?: boolean;
  /** Private addresses, as `host:port`, that a server named in a request may have. Default: none. */
  readonly allowPrivate?: readonly string[];
  /**
   * Which calls the user must allow first: all, those of tools that the server does not declare read-only or
   * non-destructive, or none. A server's declarations are hints, not proof. Default: never.
   */
  readonly approval?: McpApproval;
  /** Directories (`file:` URLs) to announce to the servers. Default: none, and roots are not declared as supported. */
  readonly roots?: readonly string[];
  /** How long a server may take to start or to respond. Default: 10 s. */
  readonly connectMs?: number;
  /** The largest response to read from a server. A call with a larger response fails. Default: 16 MiB. */
  readonly answerBytes?: number;
  /** Closes a connection that no run has used for this long. Default: 5 minutes. */
  readonly idleMs?: number;
}

export type McpApproval = "never" | "destructive" | "always";
export type McpServerOptions = (StdioServer | HttpServer) & { readonly approval?: McpApproval };

/** A program on this machine. Its environment contains only PATH, HOME and the like, and `env`. */
export interface StdioServer {
  readonly command: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Where its stderr goes. Default: the stderr of this process. */
  readonly stderr?: "inherit" | "ignore";
}
export interface HttpServer {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** `close` ends all connections and the servers that were started. A later run opens them again. */
export interface Mcp extends Toolkit {
  close(): Promise<void>;
}

/** The maximum number of servers that one request may name. */
const REQUEST_SERVERS = 16;

/**
 * The tools of MCP servers.
 *
 * - Configured servers are started by the first run that needs them and shared by all runs.
 * - If a server is down, or goes down, its tools are missing and the run gets a notice, but the run does not fail.
 *   Connecting is retried with increasing delays.
 */
export const mcp = (options: McpOptions = {}): Mcp => {
  const { servers = {}, fromRequest = true, approval = "never" } = options;
  const shared = Object.entries(servers).map(([name, server]) => connect(name, server, options));
  const toolOf = serverTools();
  const approvals = new Map(shared.map(({ name }) => [name, servers[name]?.approval ?? approval]));

  return {
    open({ request, status, notify }): OpenToolkit {
      const named = fromRequest ? requested(request).filter(({ name }) => !approvals.has(name)) : [];
      if (named.length > REQUEST_SERVERS)
        notify(`This request names ${named.length} MCP servers; the first ${REQUEST_SERVERS} are used.`, "warning");
      const own = named
        .slice(0, REQUEST_SERVERS)
        .map(({ name, ...server }) => connect(name, server, { ...options, guarded: true }));
      const connections = [...shared.filter(({ name }) => !isOff(request, name)), ...own];
      const releases = connections.map((connection) => connection.hold());
      const reporters = connections.map((connection) => reporter(connection, notify));
      let first = true;

      return {
        async tools() {
          const opening = connections.filter(({ isOpen, isWaiting }) => !isOpen && !isWaiting);
          if (opening.length > 0) status(`Connecting to ${opening.map(({ name }) => name).join(", ")}…`);
          const found = await Promise.all(reporters.map((report) => report(first)));
          if (opening.length > 0) status("");
          first = false;
          const unique = names();
          return connections.flatMap((connection, index): Tool[] =>
            (found[index] ?? []).map((definition) => {
              const name = unique(`${connection.name}__${definition.name}`);
              return toolOf(connection, definition, name, approvals.get(connection.name) ?? approval);
            }),
          );
        },
        async close() {
          for (const release of releases) release();
          await Promise.all(own.map((connection) => connection.close()));
        },
      };
    },
    async close() {
      await Promise.all(shared.map((connection) => connection.close()));
    },
  };
};

/**
 * The tools of one server, as a request that names it would get them: over HTTP, with the same address checks. Rejects
 * with an error that explains why the server cannot be reached.
 */
export const mcpToolsOf = async (
  { url, key }: { readonly url: string; readonly key?: string },
  options: Pick<McpOptions, "allowPrivate" | "connectMs"> = {},
): Promise<readonly { readonly name: string; readonly description?: string; readonly schema: unknown }[]> => {
  const server = { url, ...(key !== undefined && { headers: { authorization: `Bearer ${key}` } }) };
  const connection = connect("server", server, { ...options, guarded: true });
  try {
    const { tools } = await connection.ready();
    return tools.map(({ name, description, inputSchema }) => ({
      name,
      ...(description !== undefined && { description }),
      schema: inputSchema,
    }));
  } catch (error) {
    // Keep this message: it names the setting that would help. Another address or a key would not.
    if (hasCode(error, "private-address"))
      throw new Refusal("private-address", messageOf(error), { status: 422, cause: error });
    throw error;
  } finally {
    await connection.close();
  }
};

/** The current tools of one server, or none if it is down. Reports each change once. */
const reporter = (connection: ServerConnection, notify: (text: string, level: "info" | "warning") => void) => {
  const { name } = connection;
  let { deaths } = connection;
  let down: string | undefined;
  return async (refresh: boolean) => {
    try {
      const { tools } = await connection.ready(refresh);
      if (down !== undefined) notify(`The MCP server ${name} is back.`, "info");
      else if (connection.deaths > deaths)
        notify(`The MCP server ${name} disconnected (${connection.lastDeath}) and has reconnected.`, "warning");
      down = undefined;
      deaths = connection.deaths;
      return tools;
    } catch (error) {
      const reason = messageOf(error);
      if (down !== reason) notify(`The MCP server ${name} is down: ${reason} The run continues without it.`, "warning");
      down = reason;
      return [];
    }
  };
};

const isOff = ({ servers = [] }: RunRequest, name: string): boolean =>
  servers.some((server) => server.name === name && server.enabled === false);

/** The servers that the request names, each with its key from `secrets`, if any. */
const requested = ({ servers = [], secrets = {} }: RunRequest): (HttpServer & { readonly name: string })[] =>
  servers
    .filter(({ enabled }) => enabled !== false)
    .map(({ name, url }) => {
      const key = secrets[`MCP_${name.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_")}_KEY`];
      return { name, url, ...(key !== undefined && { headers: { authorization: `Bearer ${key}` } }) };
    });
