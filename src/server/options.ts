import type { Key } from "../access.ts";
import type { Dialect, ServerFacts } from "../dialect.ts";
import type { Log } from "../log.ts";
import type { RunnerOptions } from "../runner.ts";
import type { Source } from "../source.ts";
import type { JwtOptions } from "./jwt.ts";
import type { Limits } from "./limits.ts";

export interface ServerOptions {
  /** By name. */
  readonly agents: Readonly<Record<string, Source>>;
  /** For requests that name none. Default: the first. */
  readonly defaultAgent?: string;
  /** Stays open when the server closes. */
  readonly log: Log;
  readonly runner?: Omit<RunnerOptions, "log">;
  readonly dialects: readonly Dialect[];
  /** For clients that check an MCP server before they name it in a request. Default: they are told that nobody checks. */
  readonly validateServer?: ServerFacts["validateServer"];
  /** Default: 127.0.0.1. Any address that others can reach needs a `key`. */
  readonly host?: string;
  /** Default: any free one. */
  readonly port?: number;
  /** Allows everything to whoever sends it; several for several people. */
  readonly key?: string | readonly string[];
  /** Keys with names and rights of their own. */
  readonly keys?: readonly Key[];
  /** Also accepts tokens of an identity provider. */
  readonly jwt?: JwtOptions;
  /** Also takes the key as `/key/<key>/…`, for clients that can send no header. */
  readonly keyInPath?: boolean;
  /** Names, besides loopback ones and the bound address, under which the server is reached. */
  readonly hosts?: readonly string[];
  /** Origins, besides our own and, with keys, loopback ones, whose pages may use the server. */
  readonly origins?: readonly string[];
  /** Origins whose pages may show a run in a frame, such as that of an Open WebUI. Default: none. */
  readonly frameAncestors?: readonly string[];
  /** How many proxies stand before the server and add to X-Forwarded-For; `true` is one. Default: none. */
  readonly trustProxy?: boolean | number;
  /** Where another program mounts the server, such as `/runcast`. Default: at the root. */
  readonly basePath?: string;
  /** How clients reach the server, base path included, for links to files. Default: as each of them did. */
  readonly publicUrl?: string;
  readonly limits?: Partial<Limits>;
  /** Signs share links. Default: one that is kept with the log. */
  readonly secret?: string;
  /** What is at `/` and under `/assets/`. Default: a line of JSON that says what this is. */
  readonly page?: Page;
  /** Texts and patterns that are left out of runs saved as HTML, besides what looks like a secret. */
  readonly redact?: readonly (string | RegExp)[];
  readonly version?: string;
  /** Hears of each request that was refused or failed. */
  readonly onRefused?: (refusal: { readonly status: number; readonly code: string }) => void;
  /** Hears of failures that no client is to blame for. Is told no key, secret or token. */
  readonly onProblem?: (problem: ServerProblem) => void;
}

/** Answers with a file of a page, or undefined if it has none at this path. Anyone may read them: they hold nothing of a run. */
export type Page = (request: Request) => Promise<Response | undefined>;

export interface ServerProblem {
  readonly error: unknown;
  readonly path?: string;
  readonly run?: string;
}
