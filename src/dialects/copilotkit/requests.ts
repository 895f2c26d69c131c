import type { Command, Dialect, DialectRequest, RunRef, ServerFacts } from "../../dialect.ts";
import { Refusal } from "../../source.ts";
import { parseInput, readStart, styleOf, writeStart } from "../ag-ui-protocol/request.ts";
import { readStyle } from "../ag-ui-protocol/style.ts";

type Written = ReturnType<Dialect["write"]>;

export const BASE = "/copilotkit";
/** The agent that CopilotKit requests if the app names none. */
const DEFAULT = "default";
/** Placeholder for the thread in the path of a request that names its run. */
const NO_THREAD = "-";

/** The runtime information that CopilotKit loads first. */
export const infoOf = ({ agents, defaultAgent, version }: ServerFacts): unknown => {
  const known = agents.map(
    ({ name, description = "" }) => [name, { name, description, className: "Runcast" }] as const,
  );
  const [, main] = known.find(([name]) => name === defaultAgent) ?? known[0] ?? [];
  return {
    version,
    agents: { ...(main && { [DEFAULT]: { ...main, name: DEFAULT } }), ...Object.fromEntries(known) },
    audioFileTranscriptionEnabled: false,
    mode: "sse",
    threadEndpoints: { list: false, inspect: false, mutations: false, realtimeMetadata: false },
    suggestions: false,
    a2uiEnabled: false,
    openGenerativeUIEnabled: false,
    telemetryDisabled: true,
  };
};

export const readRun = (request: DialectRequest): Command => readStart({ ...request, params: withoutDefault(request) });

/** A joining client gets the conversation and the latest run from its start. Another Runcast server gets only what it lacks. */
export const readConnect = (request: DialectRequest): Command => {
  const { query, headers } = request;
  const extensions = headers.get("runcast-extensions") === "1" ? { extensions: true as const } : {};
  const after = { seq: 0, frame: 0 };
  const run = query.get("run");
  if (run === null) {
    const input = parseInput(request);
    const thread = { thread: input.threadId, ...agentOf(request) };
    const style = styleOf(input);
    return { do: "follow", run: thread, after, from: "run", ifNone: 200, withRequest: true, style, ...extensions };
  }
  const skipFrames = Number(query.get("skip") ?? 0);
  if (!Number.isSafeInteger(skipFrames) || skipFrames < 0)
    throw new Refusal("bad-request", "skip must be a number of frames");
  const style = query.get("style");
  return { do: "follow", run, after, ...(style && { style }), ...extensions, ...(skipFrames > 0 && { skipFrames }) };
};

export const readStop = (request: DialectRequest): Command => {
  const { params, query } = request;
  const call = query.get("call");
  const agent = query.get("agent");
  return {
    do: "cancel",
    run: query.get("run") ?? { thread: params["thread"] ?? "", ...agentOf(request), open: true },
    ...(call !== null && { call }),
    ...(agent !== null && { agent }),
  };
};

/** The client side. Only another Runcast server names a run, to follow or stop it. */
export const write = (command: Command): Written => {
  if (command.do === "start") return writeStart(command, (agent) => `${pathOf(agent)}/run`);
  if (command.do === "reply" || command.do === "answer")
    throw new Error(`CopilotKit clients cannot request ${command.do}`);
  const { run } = command;
  const agent = typeof run === "string" ? undefined : run.agent;
  const thread = typeof run === "string" ? NO_THREAD : encodeURIComponent(run.thread);
  const named = typeof run === "string" ? { run } : {};
  if (command.do === "cancel") {
    const { call, agent: subAgent } = command;
    return {
      method: "POST",
      path: `${pathOf(agent)}/stop/${thread}${search({ ...named, call, agent: subAgent })}`,
      headers: {},
    };
  }
  const { style, skipFrames, extensions } = command;
  const headers = { accept: "text/event-stream", ...(extensions && { "runcast-extensions": "1" }) };
  const path = `${pathOf(agent)}/connect`;
  if (typeof run === "string")
    return {
      method: "POST",
      path: path + search({ run, style, skip: skipFrames ? String(skipFrames) : undefined }),
      headers,
    };
  return {
    ...writeStart({ do: "start", request: { messages: [], thread: run.thread }, ...styled(style) }, () => path),
    headers,
  };
};

const styled = (style: string | undefined) => (readStyle(style).runId === undefined ? {} : { style: style ?? "" });

const pathOf = (agent = DEFAULT): string => `${BASE}/agent/${encodeURIComponent(agent)}`;

const agentOf = (request: DialectRequest): Pick<Exclude<RunRef, string>, "agent"> => {
  const { agent } = withoutDefault(request);
  return agent === undefined ? {} : { agent };
};

const withoutDefault = ({ params }: DialectRequest): Readonly<Record<string, string>> => {
  const { agent, ...rest } = params;
  return agent === undefined || agent === DEFAULT ? rest : params;
};

const search = (values: Readonly<Record<string, string | undefined>>): string => {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) if (value !== undefined) query.set(name, value);
  return query.size > 0 ? `?${query}` : "";
};
