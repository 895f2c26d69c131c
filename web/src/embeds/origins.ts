/** Which origins an agent's embeds may reach, by the agent's name, as the person has decided. */
export type AllowedOrigins = Readonly<Record<string, readonly string[]>>;

/** What can be used of what was kept. */
export const parseOrigins = (kept: unknown): AllowedOrigins =>
  typeof kept === "object" && kept !== null
    ? Object.fromEntries(Object.entries(kept).filter((entry): entry is [string, string[]] => Array.isArray(entry[1])))
    : {};

/** The origins that were allowed to an agent. */
export const allowedTo = (agent: string, allowed: AllowedOrigins): readonly string[] =>
  Object.hasOwn(allowed, agent) ? allowed[agent]! : [];

export const allow = (agent: string, origins: readonly string[], allowed: AllowedOrigins): AllowedOrigins => ({
  ...allowed,
  [agent]: [...new Set([...allowedTo(agent, allowed), ...origins])],
});

export const forget = (agent: string, { [agent]: _, ...others }: AllowedOrigins): AllowedOrigins => others;

/** The origin of each address an embed names, without doubles; undefined if one of them is no address that can be allowed. */
export const originsOf = (addresses: readonly string[]): readonly string[] | undefined => {
  const origins = addresses.map(originOf);
  return origins.every((origin) => origin !== undefined) ? [...new Set(origins)] : undefined;
};

/** What the server's frame takes as an origin. */
const ORIGIN =
  /^((?:https|wss):\/\/(?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)*(?::\d{1,5})?|https?:\/\/(?:127\.0\.0\.1|localhost)(?::\d{1,5})?)(?=$|[/?#\s;,'"])/i;

const originOf = (address: string): string | undefined =>
  ORIGIN.exec(address.includes("://") ? address : `https://${address}`)?.[1]?.toLowerCase();

/** What the frame's policy has refused, divided: the origins that a person could allow, and the rest. Of these, the page's own server and what was refused are not offered. */
export const divideBlocked = (
  blocked: readonly string[],
  withheld: readonly string[],
): { readonly offered: readonly string[]; readonly others: readonly string[] } => {
  const offered = blocked.filter((origin) => !withheld.includes(origin) && originOf(origin) === origin);
  return { offered, others: blocked.filter((origin) => !offered.includes(origin)) };
};

/** As many as the server's frame takes. */
const MOST_ORIGINS = 20;

/** The origins of a frame: those that were decided on for it, then those that its agent may reach anyway. */
export const reachable = (decided: readonly string[], allowed: readonly string[]): readonly string[] =>
  [...new Set([...decided, ...allowed])].slice(0, MOST_ORIGINS);
