/** Longer texts are not matched, because the cost of a pattern grows with a power of the text's length. */
const LONGEST = 256;
/** The maximum number of paths through a pattern: about ten milliseconds of work. */
const MOST = (LONGEST + 1) ** 3;
const LONGEST_PATTERN = 500;

/**
 * A pattern that accepts the same short texts and every long one, in bounded time. Undefined if no bound can be proven.
 * The engine tries every path before it gives up, so an untrusted pattern could block the whole process.
 */
export const boundedPattern = (pattern: string): string | undefined => {
  if (pattern.length > LONGEST_PATTERN || !isValid(pattern)) return undefined;
  const start = pattern.startsWith("^") ? 1 : LONGEST + 1;
  if (!(start * waysThrough(pattern) <= MOST)) return undefined;
  return `^(?:[\\s\\S]{${LONGEST + 1}}|(?=[\\s\\S]*?(?:${pattern})))`;
};

const isValid = (pattern: string): boolean => {
  try {
    return new RegExp(pattern) instanceof RegExp;
  } catch {
    return false;
  }
};

const TOKEN =
  /\\k<[^>]*>|\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]|\((?:\?(?:<?[=!]|:|<[^>]*>|[^)]*:))?|[)|*+?]|\{\d*,?\d*\}|[\s\S]/g;

/** An upper bound for the number of ways to match texts of up to LONGEST characters. */
const waysThrough = (pattern: string): number => {
  const groups: { ways: number; others: number }[] = [];
  let group = { ways: 1, others: 0 };
  let last = 1;
  const tokens = pattern.match(TOKEN) ?? [];
  for (const [index, token] of tokens.entries()) {
    // After another quantifier, "?" only makes it lazy.
    const isLazy = token === "?" && /^(?:[*+?]|\{\d+,?\d*\})$/.test(tokens[index - 1] ?? "");
    if (isLazy) continue;
    // A backreference may match a text of any length.
    if (/^\\(?:[1-9]|k)/.test(token)) return Infinity;
    const repeats = repeatsOf(token);
    if (repeats) {
      const [least, most] = repeats;
      group.ways *= last ** Math.max(0, most - 1) * (most - least + 1);
    } else if (token.startsWith("(")) {
      groups.push(group);
      group = { ways: 1, others: 0 };
    } else if (token === "|") {
      group = { ways: 1, others: group.others + group.ways };
    } else if (token === ")") {
      last = group.ways + group.others;
      group = groups.pop() ?? { ways: 1, others: 0 };
      group.ways *= last;
    } else last = 1;
  }
  return group.ways + group.others;
};

/** The minimum and maximum repetitions of a quantifier. Undefined for other tokens. */
const repeatsOf = (token: string): readonly [number, number] | undefined => {
  if (token === "*" || token === "+") return [0, LONGEST];
  if (token === "?") return [0, 1];
  const [, least, comma, most] = /^\{(\d+)(,?)(\d*)\}$/.exec(token) ?? [];
  if (least === undefined) return undefined;
  const from = Math.min(Number(least), LONGEST);
  return [from, comma ? Math.min(Number(most || LONGEST), LONGEST) : from];
};
