/**
 * The single status that a client of the family shows: the latest one that is still live, so no status outlives its
 * cause. Each method returns the text to send to the client, if it changed.
 */
export interface StatusLine {
  /** An empty text removes the owner's status. */
  set(owner: string, text: string): string | undefined;
  end(...owners: string[]): string | undefined;
  /** Shown until the next status. */
  pass(text: string): string;
  /** The client already shows this text and keeps it until it receives another status. */
  own(owner: string, text: string): void;
}

/** The status of a run that another process has taken over. */
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
