import { z } from "zod";
import type { Command, DialectRequest } from "../../dialect.ts";
import { Refusal, type RunRequest } from "../../source.ts";
import { readSecrets, writeSecrets } from "../../wire.ts";
import { parseBody } from "../requests/parse-body.ts";
import { answerOf, resumeOf, resumeSchema } from "./interrupts.ts";
import { messageSchema, readMessages } from "./messages.ts";
import { inputOf, metadataOf } from "./run-input.ts";
import { readStyle, styleText } from "./style.ts";

type Start = Extract<Command, { do: "start" }>;

const HINT = "a request is the RunAgentInput of @ag-ui/client";
export const inputSchema = z.object({
  threadId: z.string().min(1).max(256),
  runId: z.string().min(1).max(256),
  protocolVersion: z.string().nullish(),
  messages: z.array(messageSchema),
  state: z.json().optional(),
  tools: z
    .array(z.object({ name: z.string().min(1), description: z.string().nullish(), parameters: z.json().optional() }))
    .nullish(),
  context: z.array(z.object({ description: z.string(), value: z.string() })).nullish(),
  forwardedProps: z.json().optional(),
  resume: z.array(resumeSchema).nullish(),
});
type Input = z.infer<typeof inputSchema>;

export const inputJsonSchema = (): unknown => z.toJSONSchema(inputSchema, { io: "input" });

export const parseInput = ({ body }: DialectRequest): Input => parseBody(inputSchema, body, HINT);

/** Clients of 1.0 and later declare their version. */
export const styleOf = ({ protocolVersion, runId }: Input): string =>
  styleText({ version: Number.parseInt(protocolVersion ?? "0", 10) >= 1 ? 1 : 0, runId });

/** A request with `resume` answers the asks of the thread's run. It starts no run, so its messages are ignored. */
export const readStart = (asked: DialectRequest): Start => {
  const input = parseInput(asked);
  const { threadId: thread, resume } = input;
  const { messages, ids } = readMessages(input.messages);
  const answers = resume?.length ? resume.map(answerOf) : undefined;
  if (messages.length === 0 && !answers)
    throw new Refusal("bad-request", "the field messages has no message to answer", { hint: HINT });
  const { agent } = asked.params;
  const secrets = readSecrets(asked.headers);
  const tools = (input.tools ?? []).map(readTool);
  const system = (input.context ?? []).map(({ description, value }) => `${description}: ${value}`).join("\n");
  const request: RunRequest = {
    thread,
    ...(agent !== undefined && { agent }),
    messages,
    ...(system !== "" && { system }),
    ...(tools.length > 0 && { tools }),
    metadata: metadataOf({ ids, state: input.state, props: input.forwardedProps }),
    ...(secrets && { secrets }),
  };
  const disconnect = asked.query.get("disconnect");
  return {
    do: "start",
    request,
    style: styleOf(input),
    ...(asked.headers.get("runcast-extensions") === "1" && { extensions: true }),
    ...((disconnect === "continue" || disconnect === "cancel") && { disconnect }),
    ...(answers && { answers }),
  };
};

/** The inverse, as a 1.0 client. */
export const writeStart = (
  { request, style, extensions, answers, disconnect }: Start,
  path: (agent: string | undefined) => string,
): { method: string; path: string; headers: Record<string, string>; body: string } => {
  const { agent, run, system, secrets } = request;
  const { thread = run ?? "thread-1" } = request;
  const { version, runId = run ?? "run-1" } = readStyle(style);
  const { messages, ...rest } = inputOf(request);
  const input = {
    threadId: thread,
    runId,
    ...(version === 1 && { protocolVersion: "1.0" }),
    messages: [...(system ? [{ id: "system", role: "system", content: system }] : []), ...messages],
    ...rest,
    ...(answers && { resume: answers.map(resumeOf) }),
  };
  return {
    method: "POST",
    path: `${path(agent)}${disconnect === undefined ? "" : `?disconnect=${disconnect}`}`,
    headers: {
      "content-type": "application/json",
      accept: "text/event-stream",
      ...(extensions && { "runcast-extensions": "1" }),
      ...writeSecrets(secrets),
    },
    body: JSON.stringify(input),
  };
};

const readTool = ({ name, description, parameters: schema }: NonNullable<Input["tools"]>[number]) => ({
  name,
  ...(description && { description }),
  ...(schema !== undefined && { schema }),
});
