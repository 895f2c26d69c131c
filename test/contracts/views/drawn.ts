/** What a view shows of a run at one moment, read off what it drew. Lists are in no order. */
export interface Drawn {
  readonly calls: readonly string[];
  readonly agents: readonly string[];
  readonly asks: readonly string[];
  readonly retries: readonly string[];
  readonly thoughts: readonly string[];
  readonly run: string;
}

/** What is drawn, and all of its text. */
export interface Drawing {
  readonly facts: Drawn;
  readonly text: string;
}

/** A view of one run that is kept up to date. */
export interface DrawnView {
  /** Shows the run as it is after this many entries, and reads off what is drawn. */
  at(seq: number): Promise<Drawing>;
  close(): void;
}

export const sorted = (texts: readonly string[]): readonly string[] => [...texts].sort();

/** One thing that is drawn, as text that can be compared. */
export const fact = (parts: Readonly<Record<string, string | boolean | undefined>>): string =>
  Object.entries(parts)
    .filter(([, value]) => value !== undefined && value !== "" && value !== false)
    .map(([name, value]) => `${name}=${value}`)
    .join(" | ");
