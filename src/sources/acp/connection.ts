import type { ClientConnection, InitializeResponse, PromptCapabilities } from "@agentclientprotocol/sdk";
import { Refusal } from "../../source.ts";
import { type Choice, choiceOf } from "./choices.ts";
import { lineOf, textOf } from "../upstream/reading.ts";
import type { Wire } from "./wire.ts";
import { messageOf } from "../../message-of.ts";
import { fieldsOf, listOf, parseJson } from "../../json.ts";

/** The answer to a request of the agent, by the id of the request; undefined if the method is not known here. */
export type TakeReply = (requestId: unknown) => Promise<unknown> | undefined;

export interface Session {
  readonly id: string;
  /** The agent has loaded it: it knows what was said before. */
  readonly isLoaded: boolean;
  readonly accepts: PromptCapabilities;
  readonly mode: Choice | undefined;
  readonly model: Choice | undefined;
}

export interface AgentConnection {
  request(method: string, params: Readonly<Record<string, unknown>>): Promise<unknown>;
  notify(method: string, params: Readonly<Record<string, unknown>>): void;
  close(): void;
}

/** Versions before and after this one have other messages. */
const VERSION = 1;
const LOGIN_NEEDED = -32000;
const INVALID = -32602;

/** Loads the SDK when the first agent starts: a server without coding agents does not need it. */
export const connect = async ({ stream }: Wire, takeReply: TakeReply): Promise<AgentConnection> => {
  const { RequestError, client } = await import("@agentclientprotocol/sdk");
  const app = client({ name: "runcast" }).onRequest("*", ({ requestId, method }) => {
    const reply = takeReply(requestId);
    if (!reply) throw RequestError.methodNotFound(method);
    return reply.catch((error: unknown) => {
      throw new RequestError(INVALID, messageOf(error));
    });
  });
  const connection: ClientConnection = app.connect(stream);
  return {
    request: (method, params) => connection.agent.request<unknown, unknown>(method, params),
    notify: (method, params) => void connection.agent.notify(method, params).catch(() => {}),
    close: () => connection.close(),
  };
};

/** Greets the agent and opens a session: the given one, where the agent can load it, else a new one. */
export const openSession = async (
  connection: AgentConnection,
  { cwd, session: wanted, terminals }: OpenOptions,
): Promise<Session> => {
  const hello = (await connection.request("initialize", {
    protocolVersion: VERSION,
    clientInfo: { name: "runcast", version: "1" },
    clientCapabilities: {
      // Not offered: agents edit files themselves, and later versions of the protocol no longer have it.
      fs: { readTextFile: false, writeTextFile: false },
      terminal: terminals,
      session: { notices: {}, compaction: {}, configOptions: { boolean: {} } },
      elicitation: { form: {} },
      _meta: { terminal_output: true },
    },
  })) as InitializeResponse;
  if (hello.protocolVersion !== VERSION)
    throw new Refusal(
      "agent-version",
      `The agent speaks version ${hello.protocolVersion} of its protocol, not ${VERSION}.`,
      {
        status: 502,
        hint: "install another version of the coding agent",
      },
    );
  const params = { cwd, mcpServers: [] };
  const loaded = wanted === undefined ? undefined : await load(connection, hello, { ...params, sessionId: wanted });
  const opened =
    loaded ??
    (await connection.request("session/new", params).catch((error: unknown) => {
      throw codeOf(error) === LOGIN_NEEDED ? loginNeeded(hello) : error;
    }));
  const id = loaded ? wanted! : textOf(fieldsOf(opened)["sessionId"]);
  if (id === undefined) throw new Refusal("agent-invalid", "The agent opened no session.", { status: 502 });
  return {
    id,
    isLoaded: loaded !== undefined,
    accepts: hello.agentCapabilities?.promptCapabilities ?? {},
    mode: choiceOf(opened, id, "mode"),
    model: choiceOf(opened, id, "model"),
  };
};

interface OpenOptions {
  readonly cwd: string;
  readonly session: string | undefined;
  readonly terminals: boolean;
}

/** Undefined if the agent cannot load it, or no longer has it. */
const load = async (
  connection: AgentConnection,
  { agentCapabilities }: InitializeResponse,
  params: Readonly<Record<string, unknown>>,
): Promise<unknown> => {
  const { loadSession, sessionCapabilities } = agentCapabilities ?? {};
  // Resuming does not repeat the whole conversation.
  const methods = [
    ...(sessionCapabilities?.resume ? ["session/resume"] : []),
    ...(loadSession ? ["session/load"] : []),
  ];
  for (const method of methods) {
    const loaded = await connection.request(method, params).then(
      (answer) => answer ?? {},
      () => undefined,
    );
    if (loaded !== undefined) return loaded;
  }
  return undefined;
};

const loginNeeded = ({ authMethods }: InitializeResponse): Refusal => {
  const ways = listOf(authMethods).flatMap((method) => {
    const { name, description } = fieldsOf(method);
    return lineOf(description, 200) ?? lineOf(name, 200) ?? [];
  });
  return new Refusal("agent-login", "The coding agent is not logged in.", {
    status: 502,
    hint: ["log in with the agent's own command, or set its key in env of acp()", ...ways].join("; "),
  });
};

export const codeOf = (error: unknown): number | undefined => {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === "number" ? code : undefined;
};

/** What an agent answers instead of a result. */
export const requestFailed = (error: unknown): Refusal => {
  if (error instanceof Refusal) return error;
  const { message, data } = (error ?? {}) as { message?: unknown; data?: unknown };
  const details = lineOf(fieldsOf(data)["details"], 1000) ?? lineOf(data, 1000);
  const text = [plainMessage(textOf(message) ?? ""), details].filter(Boolean).join(": ") || "The agent failed.";
  const code = codeOf(error);
  // Some agents pass on the HTTP status of their provider.
  const retryable = code === undefined || code < 400 || code === 408 || code === 429 || code >= 500;
  return new Refusal(`acp-${code ?? "error"}`, text, { status: 502, retryable, cause: error });
};

/** Some agents give the provider's whole JSON as the message. */
const plainMessage = (text: string): string => {
  const { error, message } = fieldsOf(parseJson(text));
  return textOf(fieldsOf(error)["message"]) ?? textOf(message) ?? text.slice(0, 2000);
};
