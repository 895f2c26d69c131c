const LONGEST_ID = 256;

export const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

/** Longer ids are cut: every log would refuse them. */
export const idOf = (value: unknown): string | undefined => textOf(value)?.slice(0, LONGEST_ID);
