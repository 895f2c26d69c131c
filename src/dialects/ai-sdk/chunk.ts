/** A chunk of a UI message stream. */
export type Chunk = { readonly type: string } & Readonly<Record<string, unknown>>;

/** Data part names that this dialect reserves. An agent's data with one of these names is renamed. */
const OWN = new Set(["agent", "ask", "embed", "end", "file", "notice", "output", "progress", "runcast", "status"]);
const OTHER = "agent-data-";

export const slotType = (name: string): string =>
  `data-${OWN.has(name) || name.startsWith(OTHER) ? `${OTHER}${name}` : name}`;

/** The name of an agent's data. Undefined for a part that this dialect writes. */
export const slotName = (type: string): string | undefined => {
  const name = type.slice("data-".length);
  if (OWN.has(name)) return undefined;
  return name.startsWith(OTHER) ? name.slice(OTHER.length) : name;
};

/** A message part. A later part with the same id replaces it. */
export const dataPart = (name: string, data: unknown, id?: string): Chunk => ({
  type: `data-${name}`,
  ...(id !== undefined && { id }),
  data,
});

/** A transient part, which the message does not store. */
export const passing = (name: string, data: unknown): Chunk => ({ type: `data-${name}`, data, transient: true });
