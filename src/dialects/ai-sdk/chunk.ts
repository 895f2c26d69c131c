/** One piece of a UI message stream. */
export type Chunk = { readonly type: string } & Readonly<Record<string, unknown>>;

/** Names of data parts that mean something here. Data of an agent that has such a name gets another one. */
const OWN = new Set(["agent", "ask", "embed", "end", "file", "notice", "output", "progress", "runcast", "status"]);
const OTHER = "agent-data-";

export const slotType = (name: string): string =>
  `data-${OWN.has(name) || name.startsWith(OTHER) ? `${OTHER}${name}` : name}`;

/** The name of an agent's own data; undefined for a part that is ours. */
export const slotName = (type: string): string | undefined => {
  const name = type.slice("data-".length);
  if (OWN.has(name)) return undefined;
  return name.startsWith(OTHER) ? name.slice(OTHER.length) : name;
};

/** A part of the message. The same id again replaces it. */
export const dataPart = (name: string, data: unknown, id?: string): Chunk => ({
  type: `data-${name}`,
  ...(id !== undefined && { id }),
  data,
});

/** What is told once, and is not kept in the message. */
export const passing = (name: string, data: unknown): Chunk => ({ type: `data-${name}`, data, transient: true });
