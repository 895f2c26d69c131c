import { isRunId } from "../run-id.ts";
import { UsageError } from "./command.ts";

/** A server, and optionally one of its runs. */
export interface RunAddress {
  readonly base: string;
  readonly run: string | undefined;
  readonly token: string | undefined;
  /** Whether only a run id was given. */
  readonly isBare: boolean;
}

/** The server for a bare run id, unless RUNCAST_URL is set. */
export const LOCAL = "http://127.0.0.1:4400";

/** The server that `--url` or RUNCAST_URL names, without a slash at the end. */
export const serverAddress = (url: string | undefined, environment: NodeJS.ProcessEnv): string => {
  const given = url ?? (environment["RUNCAST_URL"] || LOCAL);
  if (!addressOf(given))
    throw new UsageError(
      `${url === undefined ? "RUNCAST_URL" : "--url"} is ${given}, which is not an address${missingScheme(given, `such as ${LOCAL}`)}`,
    );
  return given.replace(/\/+$/, "");
};

/** Parses `http://host/runs/<run>` (with any suffix), `http://host/?run=<run>`, a server's address, or a run id. */
export const parseRunAddress = (text: string, environment: NodeJS.ProcessEnv): RunAddress => {
  if (isRunId(text)) {
    return { base: serverAddress(undefined, environment), run: text, token: undefined, isBare: true };
  }
  const url = addressOf(text);
  if (!url)
    throw new UsageError(
      `${text} is neither a run's id nor an address${missingScheme(text, `such as ${LOCAL}/runs/<run>`)}`,
    );
  const [, before = "", run] = /^(.*?)(?:\/runs(?:\/([^/]+).*)?)?\/?$/.exec(url.pathname) ?? [];
  const named = run === undefined ? url.searchParams.get("run") : decoded(run);
  if (named === undefined)
    throw new UsageError(`${text} is not properly encoded: % must be followed by two hexadecimal digits`);
  return {
    base: url.origin + before,
    run: named ?? undefined,
    token: url.searchParams.get("token") ?? undefined,
    isBare: false,
  };
};

const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
};

const addressOf = (text: string): URL | undefined => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url && /^https?:$/.test(url.protocol) ? url : undefined;
};

/** A hint for addresses without a scheme, such as `localhost:4400` or `example.org/runs/x`. */
const missingScheme = (text: string, otherwise: string): string =>
  /^[a-z\d][\w-]*(\.[\w-]+)*(:\d+(\/.*)?|(?<=\..*)\/.*)$/i.test(text) && URL.canParse(`http://${text}`)
    ? `: http:// is missing, as in http://${text}`
    : ` ${otherwise}`;

/** The headers that authorize a request. */
export const authorization = (
  { token }: Pick<RunAddress, "token">,
  key: string | undefined,
): Record<string, string> => {
  const secret = key ?? token;
  if (secret !== undefined && !/^[\x20-\x7e\x80-\xff]*$/.test(secret))
    throw new UsageError("the key contains characters that are not allowed in a header");
  return secret === undefined ? {} : { authorization: `Bearer ${secret}` };
};
