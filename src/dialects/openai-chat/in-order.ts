/** Orders interleaved parts by their start, for formats with a single output string. */
export interface InOrder {
  /** A blank line separates parts of different groups, unless the text already has white space there. */
  start(part: string, group: string): void;
  /** Returns the text to emit now: immediately for the first open part, for others once all parts before them have ended. */
  more(part: string, text: string): string;
  end(part: string): string;
}

interface HeldPart {
  readonly group: string;
  held: string;
  ended: boolean;
}

export const inOrder = (): InOrder => {
  const parts = new Map<string, HeldPart>();
  let lastGroup: string | undefined;
  let isApart = true;

  const isFirst = (part: HeldPart): boolean => parts.values().next().value === part;

  const say = ({ group }: HeldPart, text: string): string => {
    if (text === "") return "";
    const isNew = lastGroup !== undefined && lastGroup !== group;
    const shown = isNew && !isApart && !/^\s/.test(text) ? `\n\n${text}` : text;
    lastGroup = group;
    isApart = /\s$/.test(text);
    return shown;
  };

  return {
    start: (id, group) => void parts.set(id, { group, held: "", ended: false }),
    more: (id, text) => {
      const part = parts.get(id);
      if (!part) return "";
      if (isFirst(part)) return say(part, text);
      part.held += text;
      return "";
    },
    end: (id) => {
      const part = parts.get(id);
      if (!part) return "";
      part.ended = true;
      if (!isFirst(part)) return "";
      parts.delete(id);
      let shown = "";
      for (const [next, waiting] of parts) {
        shown += say(waiting, waiting.held);
        waiting.held = "";
        if (!waiting.ended) break;
        parts.delete(next);
      }
      return shown;
    },
  };
};
