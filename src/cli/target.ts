import { UsageError } from "./command.ts";

/** A server, and perhaps one run of it. */
export interface Target {
  readonly base: string;
  readonly run: string | undefined;
  readonly token: string | undefined;
  /** Whether only an id was given. */
  readonly isBare: boolean;
}

/** Where a bare id is looked for, unless RUNCAST_URL says another place. */
const LOCAL = "http://127.0.0.1:4400";

/** Reads `http://host/runs/<run>` (with whatever follows), `http://host/?run=<run>`, the address of a server, or a run's id. */
export const parseTarget = (text: string, environment: NodeJS.ProcessEnv): Target => {
  if (/^[A-Za-z0-9_-]{1,64}$/.test(text)) {
    const base = (environment["RUNCAST_URL"] || LOCAL).replace(/\/+$/, "");
    return { base, run: text, token: undefined, isBare: true };
  }
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    throw new UsageError(`${text} is neither a run's id nor an address such as ${LOCAL}/runs/<run>`);
  const [, before = "", run] = /^(.*?)(?:\/runs(?:\/([^/]+).*)?)?\/?$/.exec(url.pathname) ?? [];
  const named = run === undefined ? url.searchParams.get("run") : decoded(run);
  if (named === undefined) throw new UsageError(`${text} is not properly encoded: use % only before two digits`);
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

/** The headers of someone who may read this. */
export const authorization = ({ token }: Pick<Target, "token">, key: string | undefined): Record<string, string> => {
  const secret = key ?? token;
  if (secret !== undefined && !/^[\x20-\x7e\x80-\xff]*$/.test(secret))
    throw new UsageError("the key has characters that no header can carry");
  return secret === undefined ? {} : { authorization: `Bearer ${secret}` };
};
