/**
 * The one status that a client of the family shows: the latest of those that still live, so that none outlives its cause. Each method
 * answers what the client must be told, if anything.
 */
export interface StatusLine {
  /** An empty text takes the owner's status away. */
  set(owner: string, text: string): string | undefined;
  end(...owners: string[]): string | undefined;
  /** Shown until anything else is. */
  pass(text: string): string;
  /** The client shows this by itself, and goes on to until it is told something else. */
  own(owner: string, text: string): void;
}

/** What a status says of a run that another process has taken over. */
export const RESUMED = "Continuing after an interruption";

export const createStatusLine = (idle: string): StatusLine => {
  const live = new Map<string, string>();
  let shown: string | undefined = idle;

  const change = (): string | undefined => {
    const text = [...live.values()].at(-1) ?? idle;
    if (text === shown) return undefined;
    shown = text;
    return text;
  };
  const end = (...owners: string[]) => {
    const ended = owners.filter((owner) => live.delete(owner));
    return ended.length > 0 ? change() : undefined;
  };

  return {
    set(owner, text) {
      if (text === "") return end(owner);
      live.delete(owner);
      live.set(owner, text);
      return change();
    },
    end,
    pass: (text) => (shown = text),
    own: (owner, text) => {
      live.set(owner, text);
      shown = text;
    },
  };
};
