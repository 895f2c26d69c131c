import type { Dialect, Route } from "../dialect.ts";
import { agUiCoverage } from "./ag-ui-protocol/coverage.ts";
import { inputJsonSchema } from "./ag-ui-protocol/request.ts";
import { codec } from "./ag-ui-protocol/codec.ts";
import { BASE, infoOf, readConnect, readRun, readStop, write } from "./copilotkit/requests.ts";

const AGENT = `${BASE}/agent/:agent`;

const routes: readonly Route[] = [
  { method: "GET", path: `${BASE}/info`, does: "reply", summary: "CopilotKit: the list of agents." },
  {
    method: "POST",
    path: `${AGENT}/run`,
    does: "start",
    summary: "CopilotKit: run an agent, or answer its questions, and stream its events.",
    body: inputJsonSchema,
  },
  {
    method: "POST",
    path: `${AGENT}/connect`,
    does: "follow",
    summary: "CopilotKit: the conversation so far, and the thread's latest run, live.",
    body: inputJsonSchema,
  },
  { method: "POST", path: `${AGENT}/stop/:thread`, does: "cancel", summary: "CopilotKit: stop a thread's run." },
];

/**
 * The API of CopilotKit's runtime, so its clients need no runtime server in between: `runtimeUrl` is this server's
 * address with `/copilotkit`. Uses AG-UI's events, and adds joining a thread and stopping its run.
 */
export const copilotkit: Dialect = {
  name: "copilotkit",
  contentType: "text/event-stream; charset=utf-8",
  headers: {},
  routes,
  read: ({ does }, request) => {
    if (does === "reply") return { do: "reply", reply: infoOf };
    if (does === "start") return readRun(request);
    return does === "follow" ? readConnect(request) : readStop(request);
  },
  write,
  ...codec,
  heartbeat: { everyMs: 15_000, frames: () => [], comment: "working" },
  refuse: ({ status, ...error }) => ({ status, body: JSON.stringify({ error }) }),
  wholeBytes: 1024 * 1024,
  segments: true,
  disconnect: "continue",
  asks: "next-request",
  coverage: agUiCoverage,
};
