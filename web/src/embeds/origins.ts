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
  const origins = addresses.map((address) => {
    const [, origin] =
      /^((?:https?|wss):\/\/[^/?#\s;,'"]+)/i.exec(address.includes("://") ? address : `https://${address}`) ?? [];
    return origin?.toLowerCase();
  });
  return origins.every((origin) => origin !== undefined) ? [...new Set(origins)] : undefined;
};
