import type { Problem } from "../events.ts";
import { CommandError } from "./command.ts";
import { noServerText } from "./no-server-text.ts";
import { refusalText } from "./refusal-text.ts";
import { type RunAddress, authorization } from "./target.ts";

/** No server is listening at this address. */
export class Unreachable extends CommandError {}

interface Asking {
  readonly method?: string;
  readonly key: string | undefined;
  readonly body?: unknown;
}

/** Sends a request to a server. A refusal throws a CommandError with the server's message. */
export const askServer = async (
  target: Pick<RunAddress, "base"> & Partial<Pick<RunAddress, "token">>,
  path: string,
  { method = "GET", key, body }: Asking,
): Promise<Response> => {
  const headers = {
    ...authorization({ token: target.token }, key),
    ...(body !== undefined && { "content-type": "application/json" }),
  };
  let response: Response;
  try {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    response = await fetch(`${target.base}${path}`, { method, headers, ...sent });
  } catch (error) {
    // `fetch` puts the actual reason in `cause`.
    const { message, cause } = error as Error;
    throw new Unreachable(noServerText(target, cause instanceof Error && cause.message ? cause.message : message));
  }
  if (response.ok) return response;
  throw new CommandError(refusalText(await problemOf(response), target));
};

const problemOf = async (response: Response): Promise<Problem> => {
  const { status } = response;
  try {
    const { error } = (await response.json()) as { error: Problem };
    if (typeof error.code === "string" && typeof error.message === "string") return error;
  } catch {
    // Not a Runcast response: report only its status.
  }
  return { code: `http-${status}`, message: `the server returned HTTP ${status}` };
};
