/** Holds back the first half of a character until the second comes: a text may be cut between them, a line of a stream may not. */
export const createWholeCharacters = () => {
  const held = new Map<string, string>();
  return {
    add: (part: string, delta: string): string => {
      const text = (held.get(part) ?? "") + delta;
      if (!endsInHalf(text)) {
        held.delete(part);
        return text;
      }
      held.set(part, text.slice(-1));
      return text.slice(0, -1);
    },
    /** What is still held: its other half will not come. */
    end: (part: string): string => {
      const half = held.get(part) ?? "";
      held.delete(part);
      return half;
    },
  };
};

const endsInHalf = (text: string): boolean => {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd8_00 && last <= 0xdb_ff;
};
