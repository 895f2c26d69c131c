import type { ClientConnection, InitializeResponse, PromptCapabilities } from "@agentclientprotocol/sdk";
import { Refusal } from "../../source.ts";
import { type Choice, choiceOf } from "./choices.ts";
import { lineOf, textOf } from "../upstream/reading.ts";
import type { Wire } from "./wire.ts";
import { messageOf } from "../../message-of.ts";
import { fieldsOf, listOf, parseJson } from "../../json.ts";

/** Returns the reply to an agent's request by the request's id. Undefined if the method is unknown. */
export type TakeReply = (requestId: unknown) => Promise<unknown> | undefined;

export interface Session {
  readonly id: string;
  /** Whether the agent loaded the session and so knows the earlier conversation. */
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

/** Other versions have different messages. */
const VERSION = 1;
const LOGIN_NEEDED = -32000;
const INVALID = -32602;

/** Loads the SDK when the first agent starts, because a server without coding agents does not need it. */
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

/** Initializes the agent and opens a session: the given one if the agent can load it, otherwise a new one. */
export const openSession = async (
  connection: AgentConnection,
  { cwd, session: wanted, terminals }: OpenOptions,
): Promise<Session> => {
  const hello = (await connection.request("initialize", {
    protocolVersion: VERSION,
    clientInfo: { name: "runcast", version: "1" },
    clientCapabilities: {
      // Not offered: agents edit files directly, and later versions of the protocol removed it.
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
      `The agent uses version ${hello.protocolVersion} of its protocol, not ${VERSION}.`,
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
  if (id === undefined) throw new Refusal("agent-invalid", "The agent did not open a session.", { status: 502 });
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

/** Undefined if the agent cannot load the session, or no longer has it. */
const load = async (
  connection: AgentConnection,
  { agentCapabilities }: InitializeResponse,
  params: Readonly<Record<string, unknown>>,
): Promise<unknown> => {
  const { loadSession, sessionCapabilities } = agentCapabilities ?? {};
  // Resuming does not replay the whole conversation.
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
  const loginHints = listOf(authMethods).flatMap((method) => {
    const { name, description } = fieldsOf(method);
    return lineOf(description, 200) ?? lineOf(name, 200) ?? [];
  });
  return new Refusal("agent-login", "The coding agent is not logged in.", {
    status: 502,
    hint: ["log in with the agent's own command, or set its key in the env option of acp()", ...loginHints].join("; "),
  });
};

export const codeOf = (error: unknown): number | undefined => {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === "number" ? code : undefined;
};

/** Converts an agent's error response. */
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

/** Some agents send the provider's whole JSON as the message. */
const plainMessage = (text: string): string => {
  const { error, message } = fieldsOf(parseJson(text));
  return textOf(fieldsOf(error)["message"]) ?? textOf(message) ?? text.slice(0, 2000);
};
