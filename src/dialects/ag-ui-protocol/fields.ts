const LONGEST_ID = 256;

export const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

/** Truncates ids that are longer than logs accept. */
export const idOf = (value: unknown): string | undefined => textOf(value)?.slice(0, LONGEST_ID);
