import { randomUUID } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import {
  type CallToolResult,
  type Client,
  ProtocolError,
  type RequestOptions,
  SdkHttpError,
  type Tool,
  UrlElicitationRequiredError,
} from "@modelcontextprotocol/client";
import { z } from "zod";
import { Refusal } from "../../source.ts";
import type { ToolContext } from "../../tool.ts";
import { boundedCall } from "./call-bounds.ts";
import { showApp } from "./show-app.ts";
import type { ServerConnection } from "./connect.ts";
import { resultOf } from "./result-of.ts";
import { LONGEST_TIMER } from "../../timer.ts";
import { elicit } from "./elicit.ts";
import type { CallInFlight } from "./in-flight.ts";
import { cleaned, hasCode, reason } from "./reason.ts";
import { LOST } from "./transport.ts";

type Input = Record<string, unknown>;

/** The call's own time limit applies, which pauses while the user is asked. */
const NO_TIMEOUT = LONGEST_TIMER;
const CANCEL_MS = 10_000;

export const callServer = (connection: ServerConnection, tool: Tool, input: Input, context: ToolContext) => {
  const bounds = boundedCall(context);
  const call: CallInFlight = { context, token: randomUUID(), bounds };
  return connection.calls.run(call, async () => {
    const { client, result } = await attempt(connection, tool, input, call, true).finally(async () => {
      // Messages that the server sent just before its response are handled just after it.
      await setImmediate();
      bounds.end();
    });
    if (!result.isError) await showApp(client, tool, result, context);
    return resultOf(result, context);
  });
};

const attempt = async (
  connection: ServerConnection,
  tool: Tool,
  input: Input,
  call: CallInFlight,
  again: boolean,
): Promise<{ readonly client: Client; readonly result: CallToolResult }> => {
  const { name, server } = connection;
  const open = await connection.ready().catch((error: Error) => {
    throw lost(`The MCP server ${name} is down: ${error.message}`, error);
  });
  try {
    return { client: open.client, result: await request(connection, open.client, tool, input, call) };
  } catch (error) {
    call.bounds.abandoned.throwIfAborted();
    if (call.context.signal.aborted) throw error;
    if (again && (await satisfied(name, error, call))) return attempt(connection, tool, input, call, false);
    const isUnsent = neverArrived(error);
    if (!isUnsent && !endedEarly(error)) throw cleaned(error, server);
    const why = connection.lose(open, reason(error, server));
    if (isUnsent && again) return attempt(connection, tool, input, call, false);
    throw lost(`The MCP server ${name} disconnected during the call: ${why}`, error);
  }
};

const request = async (
  { calls }: ServerConnection,
  client: Client,
  tool: Tool,
  input: Input,
  call: CallInFlight,
): Promise<CallToolResult> => {
  const { context } = call;
  const signal = AbortSignal.any([context.signal, call.bounds.abandoned]);
  const options: RequestOptions = { signal, timeout: NO_TIMEOUT };
  const params = { name: tool.name, arguments: input, _meta: { progressToken: call.token } };
  if (tool.execution?.taskSupport !== "required") return client.callTool(params, { ...options, toolDefinition: tool });

  const { task } = await client.request({ method: "tools/call", params: { ...params, task: {} } }, CREATED, options);
  const { taskId } = task;
  call.task = taskId;
  const ended = new AbortController();
  // Not within the call, because its streams are closed when it ends.
  const cancel = () =>
    void calls
      .run({ ...call }, () =>
        client.request({ method: "tasks/cancel", params: { taskId } }, ANY, { timeout: CANCEL_MS }),
      )
      .catch(() => {});
  signal.addEventListener("abort", cancel, { once: true });
  const watching = watch(client, task, context, ended.signal);
  try {
    return (await client.request(
      { method: "tasks/result", params: { taskId } },
      ANY,
      options,
    )) as unknown as CallToolResult;
  } finally {
    signal.removeEventListener("abort", cancel);
    ended.abort();
    await watching;
  }
};

/** Polls a task, which reports its progress only on request. */
const watch = async (client: Client, first: Task, context: ToolContext, ended: AbortSignal): Promise<void> => {
  const { taskId, pollInterval = 1000 } = first;
  let task = first;
  let lastNote = "";
  while (!ended.aborted) {
    if (task.statusMessage && task.statusMessage !== lastNote) context.progress({ note: task.statusMessage });
    lastNote = task.statusMessage ?? lastNote;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, pollInterval);
      ended.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
    });
    if (!ended.aborted)
      task = await client
        .request({ method: "tasks/get", params: { taskId } }, TASK, { signal: ended })
        .catch(() => task);
  }
};

/** Whether the server only required the user to open links first, and the user did. */
const satisfied = async (server: string, error: unknown, { context, bounds }: CallInFlight): Promise<boolean> => {
  if (!(error instanceof UrlElicitationRequiredError) || error.elicitations.length === 0) return false;
  for (const wanted of error.elicitations)
    if (!bounds.mayAsk() || (await elicit(server, wanted, context)).action !== "accept") return false;
  return true;
};

/** The server was unreachable, or no longer knew the session. The call has not begun and may be sent again. */
const neverArrived = (error: unknown): boolean =>
  (error instanceof SdkHttpError &&
    (error.status === 404 || (error.status === 400 && /session/i.test(error.message)))) ||
  hasCode(error, "ECONNREFUSED") ||
  (error instanceof Error && error.message === "Not connected");

const endedEarly = (error: unknown): boolean =>
  (error instanceof ProtocolError && error.code === LOST) ||
  hasCode(error, "CONNECTION_CLOSED") ||
  hasCode(error, "ECONNRESET") ||
  hasCode(error, "UND_ERR_SOCKET");

const lost = (message: string, cause: unknown): Refusal =>
  new Refusal("mcp-server-lost", message, { status: 502, retryable: true, cause });

const TASK = z.looseObject({
  taskId: z.string(),
  status: z.string(),
  statusMessage: z.string().optional(),
  pollInterval: z.number().optional(),
});
type Task = z.infer<typeof TASK>;
const CREATED = z.looseObject({ task: TASK });
const ANY = z.looseObject({});
