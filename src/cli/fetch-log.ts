import { CommandError } from "./command.ts";
import { type Target, authorization } from "./target.ts";
import { oneLine } from "./terminal-text.ts";

/** No server answers at this address. */
export class Unreachable extends CommandError {}

/** A run's log as a server has it, one entry a line, or as a page. */
export const fetchLog = async (
  target: Target,
  key: string | undefined,
  format: "jsonl" | "html" = "jsonl",
): Promise<Response> => {
  const url = `${target.base}/runs/${encodeURIComponent(target.run ?? "")}/export.${format}`;
  const headers = authorization(target, key);
  let response: Response;
  try {
    response = await fetch(url, { headers });
  } catch {
    throw new Unreachable(`no server answers at ${target.base}; start one with: runcast serve`);
  }
  if (response.ok) return response;
  throw new CommandError(await refusalText(response));
};

const refusalText = async (response: Response): Promise<string> => {
  const text = await response.text();
  try {
    const { error } = JSON.parse(text) as { error: { message: string; hint?: string } };
    return oneLine(`${error.message}${error.hint ? ` (${error.hint})` : ""}`);
  } catch {
    return `the server answered ${response.status}`;
  }
};
