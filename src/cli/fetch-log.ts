import type { Problem } from "../events.ts";
import { CommandError } from "./command.ts";
import { noServerText } from "./no-server-text.ts";
import { refusalText } from "./refusal-text.ts";
import { type RunAddress, authorization } from "./target.ts";

/** No server answers at this address. */
export class Unreachable extends CommandError {}

/** A run's log as a server has it, one entry a line, or as a page. */
export const fetchLog = async (
  target: RunAddress,
  key: string | undefined,
  format: "jsonl" | "html" = "jsonl",
): Promise<Response> => {
  const url = `${target.base}/runs/${encodeURIComponent(target.run ?? "")}/export.${format}`;
  const headers = authorization(target, key);
  let response: Response;
  try {
    response = await fetch(url, { headers });
  } catch (error) {
    // fetch hides the reason of a failure in its cause.
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
    // Not Runcast speaking: its status has to do.
  }
  return { code: `http-${status}`, message: `the answer was HTTP ${status}` };
};
