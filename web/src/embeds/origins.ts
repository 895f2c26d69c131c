/** Which origins an agent's embeds may reach, as the person has decided. Kept in this browser. */
export interface AllowedOrigins {
  isAllowed(agent: string, origin: string): boolean;
  allow(agent: string, origins: readonly string[]): void;
  /** Everything that was allowed, for the settings. */
  list(): readonly { readonly agent: string; readonly origins: readonly string[] }[];
  forget(agent: string): void;
}

const KEY = "runcast.origins";

export const createAllowedOrigins = (storage: Pick<Storage, "getItem" | "setItem">): AllowedOrigins => {
  const read = (): Record<string, string[]> => {
    try {
      const stored: unknown = JSON.parse(storage.getItem(KEY) ?? "{}");
      return typeof stored === "object" && stored !== null ? (stored as Record<string, string[]>) : {};
    } catch {
      return {};
    }
  };
  const originsOf = (agent: string): readonly string[] => {
    const kept = read();
    return Object.hasOwn(kept, agent) && Array.isArray(kept[agent]) ? kept[agent] : [];
  };
  const write = (agent: string, origins: readonly string[] | undefined): void => {
    const { [agent]: _, ...others } = read();
    try {
      storage.setItem(KEY, JSON.stringify(origins ? { ...others, [agent]: origins } : others));
    } catch {
      // Without storage it holds for as long as the frame is shown.
    }
  };
  return {
    isAllowed: (agent, origin) => originsOf(agent).includes(origin),
    allow: (agent, origins) => write(agent, [...new Set([...originsOf(agent), ...origins])]),
    list: () => Object.keys(read()).map((agent) => ({ agent, origins: originsOf(agent) })),
    forget: (agent) => write(agent, undefined),
  };
};

/** The origin of each address an embed names, without doubles; undefined if one of them is no address that can be allowed. */
export const originsOf = (addresses: readonly string[]): readonly string[] | undefined => {
  const origins = addresses.map((address) => {
    const [, origin] =
      /^((?:https?|wss):\/\/[^/?#\s;,'"]+)/i.exec(address.includes("://") ? address : `https://${address}`) ?? [];
    return origin?.toLowerCase();
  });
  return origins.every((origin) => origin !== undefined) ? [...new Set(origins)] : undefined;
};
