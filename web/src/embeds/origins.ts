/** The origins that embeds may reach, by agent name, as decided by the user. */
export type AllowedOrigins = Readonly<Record<string, readonly string[]>>;

/** Reads the stored value and drops invalid parts. */
export const parseOrigins = (kept: unknown): AllowedOrigins =>
  typeof kept === "object" && kept !== null
    ? Object.fromEntries(Object.entries(kept).filter((entry): entry is [string, string[]] => Array.isArray(entry[1])))
    : {};

/** The origins allowed to an agent. */
export const allowedTo = (agent: string, allowed: AllowedOrigins): readonly string[] =>
  Object.hasOwn(allowed, agent) ? allowed[agent]! : [];

export const allow = (agent: string, origins: readonly string[], allowed: AllowedOrigins): AllowedOrigins => ({
  ...allowed,
  [agent]: [...new Set([...allowedTo(agent, allowed), ...origins])],
});

export const forget = (agent: string, { [agent]: _, ...others }: AllowedOrigins): AllowedOrigins => others;

/** The distinct origins of the addresses an embed names. Undefined if one of them cannot be allowed. */
export const originsOf = (addresses: readonly string[]): readonly string[] | undefined => {
  const origins = addresses.map(originOf);
  return origins.every((origin) => origin !== undefined) ? [...new Set(origins)] : undefined;
};

/** The origins that the server's frame accepts. */
const ORIGIN =
  /^((?:https|wss):\/\/(?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)*(?::\d{1,5})?|https?:\/\/(?:127\.0\.0\.1|localhost)(?::\d{1,5})?)(?=$|[/?#\s;,'"])/i;

const originOf = (address: string): string | undefined =>
  ORIGIN.exec(address.includes("://") ? address : `https://${address}`)?.[1]?.toLowerCase();

/**
 * Splits blocked origins into those that the user can allow and the rest. `withheld` origins (the page's own server,
 * and refused ones) are never offered.
 */
export const divideBlocked = (
  blocked: readonly string[],
  withheld: readonly string[],
): { readonly offered: readonly string[]; readonly others: readonly string[] } => {
  const offered = blocked.filter((origin) => !withheld.includes(origin) && originOf(origin) === origin);
  return { offered, others: blocked.filter((origin) => !offered.includes(origin)) };
};

/** The maximum that the server's frame accepts. */
const MAX_ORIGINS = 20;

/** The origins of a frame: those chosen for it, then those that its agent may always reach. */
export const reachable = (decided: readonly string[], allowed: readonly string[]): readonly string[] =>
  [...new Set([...decided, ...allowed])].slice(0, MAX_ORIGINS);
