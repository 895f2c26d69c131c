import { type Command, cursorText, type Dialect, type RunRef } from "../dialect.ts";
import { PROTOCOL } from "../protocol.ts";
import { writeSecrets } from "./secrets.ts";

/** Writes the requests of a native client. */
export const writeCommand: Dialect["write"] = (command) => {
  if (command.do === "reply") throw new Error("the native dialect has no plain replies");
  if (command.do === "start") return writeStart(command);
  const run = `/runs/${encodeURIComponent(runId(command.run))}`;
  if (command.do === "follow") return writeFollow(run, command);
  const headers = { "content-type": JSON_TYPE };
  if (command.do === "answer") {
    const path = `${run}/asks/${encodeURIComponent(command.ask)}`;
    return { method: "POST", path, headers, body: JSON.stringify(command.answer) };
  }
  const { agent, call, reason } = command;
  return { method: "POST", path: `${run}/cancel`, headers, body: JSON.stringify({ agent, call, reason }) };
};

const JSON_TYPE = "application/json";
const STREAM_TYPE = "text/event-stream";

/** Sent with stream requests: the protocol version the client reads. A server with a later version refuses the request. */
const VERSION = { "runcast-protocol": `${PROTOCOL}` };

type Written = ReturnType<Dialect["write"]>;

const writeStart = ({ request, detached, style, extensions }: Extract<Command, { do: "start" }>): Written => {
  const { secrets, ...body } = request;
  const headers = {
    "content-type": JSON_TYPE,
    accept: detached ? JSON_TYPE : STREAM_TYPE,
    ...VERSION,
    ...writeSecrets(secrets),
    ...writeExtensions(extensions),
  };
  return { method: "POST", path: `/runs${queryText({ style })}`, headers, body: JSON.stringify(body) };
};

const writeFollow = (run: string, command: Extract<Command, { do: "follow" }>): Written => {
  const { after, at, from, style, extensions } = command;
  const cursor = cursorText(after);
  const headers = {
    accept: STREAM_TYPE,
    ...VERSION,
    ...(cursor !== "0" && { "last-event-id": cursor }),
    ...writeExtensions(extensions),
  };
  return { method: "GET", path: `${run}/events${queryText({ at: at?.toString(), from, style })}`, headers };
};

/** The id of the run that a command names, for dialects whose paths can contain only an id. */
export const runId = (run: RunRef): string => {
  if (typeof run === "string") return run;
  throw new Error("a client of this dialect names a run by its id, not by its thread");
};

/** The header with which a client requests extensions. */
export const writeExtensions = (extensions: boolean | undefined): Record<string, string> =>
  extensions ? { "runcast-extensions": "1" } : {};

/** A URL query with its question mark. Empty without values. */
export const queryText = (values: Record<string, string | undefined>): string => {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) if (value !== undefined) query.set(name, value);
  return query.size > 0 ? `?${query}` : "";
};
