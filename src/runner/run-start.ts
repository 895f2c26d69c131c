import type { EventOf, FileRef } from "../events.ts";
import { PROTOCOL } from "../protocol.ts";
import type { RunnableAgent } from "../runner.ts";
import type { RunRequest } from "../source.ts";
import { spillMessage } from "./spill.ts";

type Put = (bytes: Uint8Array | string, file: { mediaType: string; name?: string }) => Promise<FileRef>;

/** The first event of a run. `said` is what the source itself says of it: its name and model. */
export const runStart = async (
  run: string,
  request: RunRequest,
  agent: RunnableAgent,
  said: EventOf<"run-start"> | undefined,
  put: Put,
): Promise<EventOf<"run-start">> => {
  const { secrets: _, servers, ...rest } = request;
  const kept = { ...rest, ...(servers && { servers: servers.map(withoutKeys) }) };
  const asked = request.messages.findLast(({ role }) => role === "user");
  const isMore = request.messages.length > 1 || !asked;
  const stored = isMore && (await put(JSON.stringify(kept), { mediaType: "application/json", name: "request.json" }));
  const model = said?.model ?? request.model ?? agent.source.about?.model;
  return {
    type: "run-start",
    protocol: PROTOCOL,
    run,
    ...(request.thread && { thread: request.thread }),
    name: said?.name ?? agent.name,
    ...(model && { model }),
    ...(request.user && { user: request.user }),
    ...(asked && { message: await spillMessage(asked, put) }),
    ...(stored && { request: stored }),
  };
};

/** Servers are often told their key in their URL. */
const withoutKeys = <Server extends { readonly url?: string }>(server: Server): Server => {
  const url = URL.parse(server.url ?? "");
  if (!url) return server;
  for (const name of new Set(url.searchParams.keys())) url.searchParams.set(name, "redacted");
  // A token often stands alone before the @.
  if (url.username) url.username = "redacted";
  if (url.password) url.password = "redacted";
  return { ...server, url: url.href };
};
