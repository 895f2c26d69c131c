import type { EventOf } from "../events.ts";
import type { Log } from "../log.ts";
import { type RunRequest, runRequestSchema } from "../source.ts";

/** A request as stored alongside its run, without secrets, and the agent to resume with. */
export interface StoredRequest {
  readonly request: RunRequest;
  /** The name under which the agent is configured. */
  readonly agent: string;
  /** The names of omitted secrets. If any were used, another process cannot continue the run. */
  readonly withheld: readonly string[];
}

/** The names of the secrets that are never stored. If there are any, another process cannot continue the run. */
export const withheldOf = ({ secrets = {}, servers = [] }: RunRequest): readonly string[] => [
  ...Object.keys(secrets),
  ...servers.filter((server) => URL.parse(server.url)?.href !== withoutKeys(server).url).map(serverKey),
];

/** The JSON to store, or undefined if run-start contains everything. */
export const requestToStore = (request: RunRequest): string | undefined => {
  const { secrets: _secrets, servers, run: _run, agent: _agent, ...rest } = request;
  const stripped = servers?.map(withoutKeys);
  const withheld = withheldOf(request);
  const { messages, thread: _thread, previous: _previous, user: _user, ...more } = rest;
  const isPlain = messages.length === 1 && messages[0]?.role === "user";
  if (isPlain && withheld.length === 0 && !stripped && Object.keys(defined(more)).length === 0) return undefined;
  return JSON.stringify({
    ...rest,
    ...(stripped && { servers: stripped }),
    ...(withheld.length > 0 && { withheld }),
  });
};

export const readRequest = async (log: Log, run: string, start: EventOf<"run-start">): Promise<StoredRequest> => {
  const { request: file, name, agentKey = name, message, thread, previous, user } = start;
  if (!file) {
    const request = {
      run,
      messages: message ? [message] : [],
      ...(thread && { thread }),
      ...(previous !== undefined && { previous }),
      ...(user && { user }),
    };
    return { request, agent: agentKey, withheld: [] };
  }
  const stored = await log.get(run, file.file);
  if (!stored) throw new Error(`run ${run}'s request is not stored with its log`);
  const kept = JSON.parse(Buffer.concat(await Array.fromAsync(stored.bytes)).toString()) as Record<string, unknown>;
  const request = runRequestSchema.parse({ ...kept, run });
  const withheld = Array.isArray(kept.withheld) ? kept.withheld.map(String) : [];
  return { request, agent: request.agent ?? agentKey, withheld };
};

const serverKey = ({ name }: { readonly name: string }): string => `the key of the server ${name}`;

const defined = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** Server URLs often contain a key. */
const withoutKeys = <Server extends { readonly url: string }>(server: Server): Server => {
  const url = URL.parse(server.url);
  if (!url) return server;
  for (const name of new Set(url.searchParams.keys())) url.searchParams.set(name, "redacted");
  // A token is often the only thing before the @.
  if (url.username) url.username = "redacted";
  if (url.password) url.password = "redacted";
  return { ...server, url: url.href };
};
