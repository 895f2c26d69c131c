/** The facts that a view shows of a run at one moment, read from its output. Lists are unordered. */
export interface Drawn {
  readonly calls: readonly string[];
  readonly agents: readonly string[];
  readonly asks: readonly string[];
  readonly retries: readonly string[];
  readonly thoughts: readonly string[];
  readonly run: string;
}

/** The facts, and all text of the output. */
export interface Drawing {
  readonly facts: Drawn;
  readonly text: string;
}

/** A view of one run that is kept up to date. */
export interface DrawnView {
  /** Shows the run after this many entries, and reads the output. */
  at(seq: number): Promise<Drawing>;
  close(): void;
}

export const sorted = (texts: readonly string[]): readonly string[] => [...texts].sort();

/** A shown fact as comparable text. */
export const fact = (parts: Readonly<Record<string, string | boolean | undefined>>): string =>
  Object.entries(parts)
    .filter(([, value]) => value !== undefined && value !== "" && value !== false)
    .map(([name, value]) => `${name}=${value}`)
    .join(" | ");
