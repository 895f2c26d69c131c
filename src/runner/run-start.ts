import type { EventOf, FileRef } from "../events.ts";
import { PROTOCOL } from "../protocol.ts";
import type { Intake } from "./intake.ts";
import type { RunOptions } from "./run-options.ts";
import { requestToStore } from "./stored-request.ts";

type Put = (bytes: Uint8Array | string, file: { mediaType: string; name?: string }) => Promise<FileRef>;

/**
 * Emits the first event of a run. `request` holds no inline bytes. `own` is the source's own run-start, which supplies
 * name, model and `meta`.
 */
export const emitStart = async (
  intake: Pick<Intake, "redactor" | "emit">,
  { run, request: asks, agent }: Pick<RunOptions, "run" | "request" | "agent">,
  own: EventOf<"run-start"> | undefined,
  put: Put,
): Promise<void> => {
  const { redactor } = intake;
  const request = (await redactor?.request(asks)) ?? asks;
  const name = own?.name ?? agent.name;
  const asked = request.messages.findLast(({ role }) => role === "user");
  const json = requestToStore(request);
  const stored =
    json === undefined ? undefined : await put(json, { mediaType: "application/json", name: "request.json" });
  const model = own?.model ?? request.model ?? agent.source.about?.model;
  const event: EventOf<"run-start"> = {
    type: "run-start",
    protocol: PROTOCOL,
    run,
    ...(request.thread && { thread: request.thread }),
    ...(request.previous !== undefined && { previous: request.previous }),
    name,
    ...(name !== agent.name && { agentKey: agent.name }),
    ...(model && { model }),
    ...(request.user && { user: request.user }),
    ...(asked && { message: asked }),
    ...(stored && { request: stored }),
    ...(own?.meta !== undefined && !redactor && { meta: own.meta }),
  };
  // The request is already redacted, and the remaining fields are ids and names.
  intake.emit(event, true);
};
