import type { McpServerOptions } from "../mcp.ts";

/** The reason for a failure in one sentence: the message of the deepest cause that has one, without secrets of the configuration. */
export const reason = (error: unknown, server: McpServerOptions): string => {
  let found = "unknown error";
  for (let cause = error, depth = 0; cause instanceof Error && depth < 8; cause = cause.cause, depth += 1)
    found = cause.message || ("code" in cause && String(cause.code)) || found;
  const plain = withoutSecrets(found.trim(), server);
  return /[.!?…]$/.test(plain) ? plain : `${plain}.`;
};

/** The error of a call, without secrets: it contains the server's own message. */
export const cleaned = (error: unknown, server: McpServerOptions): unknown => {
  if (!(error instanceof Error)) return error;
  const message = withoutSecrets(error.message, server);
  if (message === error.message) return error;
  return Object.assign(new Error(message), "code" in error && { code: error.code });
};

const withoutSecrets = (text: string, server: McpServerOptions): string =>
  secretsOf(server).reduce((rest, secret) => rest.replaceAll(secret, "…"), text);

/** Whether the error or one of its causes has this code. */
export const hasCode = (error: unknown, code: string): boolean => {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 8; cause = cause.cause, depth += 1)
    if ("code" in cause && cause.code === code) return true;
  return false;
};

const secretsOf = (server: McpServerOptions): string[] => {
  const url = "url" in server ? URL.parse(server.url) : null;
  const values = Object.values(("url" in server ? server.headers : server.env) ?? {});
  const inUrl = url ? [url.search, ...url.searchParams.values(), url.password] : [];
  return [...values, ...values.map((value) => value.replace(/^(?:Bearer|Basic) /i, "")), ...inUrl]
    .filter((secret) => secret.length > 5)
    .toSorted((a, b) => b.length - a.length);
};
