/**
 * The one status that a client of the family shows: the latest of those that still live, so that none outlives its cause. Each method
 * answers what the client must be told, if anything.
 */
export interface StatusLine {
  /** An empty text takes the owner's status away. */
  set(owner: string, text: string): string | undefined;
  end(owner: string): string | undefined;
  /** Shown until anything else is. */
  pass(text: string): string;
  /** The client now shows something of its own. */
  forget(): void;
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
  const end = (owner: string) => (live.delete(owner) ? change() : undefined);

  return {
    set(owner, text) {
      if (text === "") return end(owner);
      live.delete(owner);
      live.set(owner, text);
      return change();
    },
    end,
    pass: (text) => (shown = text),
    forget: () => (shown = undefined),
  };
};
