import type { EventOf, FileRef } from "../events.ts";
import { PROTOCOL } from "../protocol.ts";
import type { RunnableAgent } from "../runner.ts";
import type { RunRequest } from "../source.ts";
import { requestToStore } from "./stored-request.ts";

type Put = (bytes: Uint8Array | string, file: { mediaType: string; name?: string }) => Promise<FileRef>;

/** The first event of a run. `request` holds no bytes in line. `own` is the source's own run-start: it tells name, model and `meta`. */
export const runStart = async (
  run: string,
  request: RunRequest,
  agent: RunnableAgent,
  own: EventOf<"run-start"> | undefined,
  put: Put,
): Promise<EventOf<"run-start">> => {
  const name = own?.name ?? agent.name;
  const asked = request.messages.findLast(({ role }) => role === "user");
  const json = requestToStore(request);
  const stored =
    json === undefined ? undefined : await put(json, { mediaType: "application/json", name: "request.json" });
  const model = own?.model ?? request.model ?? agent.source.about?.model;
  return {
    type: "run-start",
    protocol: PROTOCOL,
    run,
    ...(request.thread && { thread: request.thread }),
    name,
    ...(name !== agent.name && { agentKey: agent.name }),
    ...(model && { model }),
    ...(request.user && { user: request.user }),
    ...(asked && { message: asked }),
    ...(stored && { request: stored }),
    ...(own?.meta !== undefined && { meta: own.meta }),
  };
};
