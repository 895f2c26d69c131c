import type { Dialect } from "../dialect.ts";
import { agUiCoverage } from "./ag-ui-protocol/coverage.ts";
import { inputJsonSchema, readStart, writeStart } from "./ag-ui-protocol/request.ts";
import { codec } from "./ag-ui-protocol/codec.ts";

const BASE = "/ag-ui";

/**
 * AG-UI, for `HttpAgent` of `@ag-ui/client` and any other client of the protocol, 1.0 or earlier. A client answers asks
 * with its next request. Closing the connection is its only way to stop a run.
 */
export const agUi: Dialect = {
  name: "ag-ui",
  contentType: "text/event-stream; charset=utf-8",
  headers: {},
  routes: [BASE, `${BASE}/:agent`].map((path) => ({
    method: "POST",
    path,
    does: "start",
    summary: "AG-UI: run an agent, or answer its questions, and stream its events.",
    body: inputJsonSchema,
  })),
  read: (_route, request) => readStart(request),
  write: (command) => {
    if (command.do !== "start") throw new Error(`AG-UI clients cannot request ${command.do}`);
    return writeStart(command, (agent) => (agent === undefined ? BASE : `${BASE}/${encodeURIComponent(agent)}`));
  },
  ...codec,
  heartbeat: { everyMs: 15_000, frames: () => [], comment: "working" },
  refuse: ({ status, ...error }) => ({ status, body: JSON.stringify({ error }) }),
  wholeBytes: 1024 * 1024,
  segments: true,
  disconnect: "cancel",
  asks: "next-request",
  coverage: agUiCoverage,
};
