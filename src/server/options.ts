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
  /** The agent for requests that name none. Default: the first. */
  readonly defaultAgent?: string;
  /** Stays open when the server closes. */
  readonly log: Log;
  readonly runner?: Omit<RunnerOptions, "log">;
  readonly dialects: readonly Dialect[];
  /** For clients that validate an MCP server before they name it in a request. Default: reports that validation is unavailable. */
  readonly validateServer?: ServerFacts["validateServer"];
  /** Default: 127.0.0.1. Any address reachable by others requires a `key`. */
  readonly host?: string;
  /** Default: any free port. */
  readonly port?: number;
  /** Grants every right to its holder. Use several for several users. */
  readonly key?: string | readonly string[];
  /** Keys with names and specific rights. */
  readonly keys?: readonly Key[];
  /** Also accepts tokens of an identity provider. */
  readonly jwt?: JwtOptions;
  /** Also accepts the key as `/key/<key>/…`, for clients that cannot send headers. */
  readonly keyInPath?: boolean;
  /** Host names of the server, in addition to loopback names and the bound address. */
  readonly hosts?: readonly string[];
  /** Origins whose pages may use the server, in addition to its own and, with keys, loopback origins. */
  readonly origins?: readonly string[];
  /** Origins whose pages may show a run in a frame, such as an Open WebUI's. Default: none. */
  readonly frameAncestors?: readonly string[];
  /** How many proxies in front of the server append to X-Forwarded-For. `true` means one. Default: none. */
  readonly trustProxy?: boolean | number;
  /** Where another program mounts the server, such as `/runcast`. Default: at the root. */
  readonly basePath?: string;
  /** The server's public URL, including the base path, for links to files. Default: the address that each client used. */
  readonly publicUrl?: string;
  readonly limits?: Partial<Limits>;
  /** Signs share links. Default: a secret stored with the log. */
  readonly secret?: string;
  /** Serves `/` and `/assets/`. Default: a line of JSON that describes the server. */
  readonly page?: Page;
  /** Texts and patterns removed from runs saved as HTML, in addition to detected secrets. */
  readonly redact?: readonly (string | RegExp)[];
  readonly version?: string;
  /** Called for each request that was refused or failed. */
  readonly onRefused?: (refusal: { readonly status: number; readonly code: string }) => void;
  /** Called for failures that are not the client's fault. Never receives a key, secret or token. */
  readonly onProblem?: (problem: ServerProblem) => void;
}

/** Responds with a file of the page. Undefined if there is none at this path. Files are public and contain nothing of a run. */
export type Page = (request: Request) => Promise<Response | undefined>;

export interface ServerProblem {
  readonly error: unknown;
  readonly path?: string;
  readonly run?: string;
}
