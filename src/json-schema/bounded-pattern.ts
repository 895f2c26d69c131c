/** Longer texts are not held against a pattern: what a pattern costs grows with a power of the text's length. */
const LONGEST = 256;
/** How many ways through a pattern there may be: some ten milliseconds of work. */
const MOST = (LONGEST + 1) ** 3;
const LONGEST_PATTERN = 500;

/**
 * A pattern that accepts the same short texts and every long one, in bounded time; undefined if no bound can be seen. The
 * engine tries every way through a pattern before it gives up, so a stranger's pattern could stop the whole process.
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

/** At most how many ways there are to match texts of up to LONGEST characters. */
const waysThrough = (pattern: string): number => {
  const groups: { ways: number; others: number }[] = [];
  let group = { ways: 1, others: 0 };
  let last = 1;
  const tokens = pattern.match(TOKEN) ?? [];
  for (const [index, token] of tokens.entries()) {
    // After another quantifier, "?" only says which way is tried first.
    const isLazy = token === "?" && /^(?:[*+?]|\{\d+,?\d*\})$/.test(tokens[index - 1] ?? "");
    if (isLazy) continue;
    // What an earlier group matched may be of any length.
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

/** How often a quantifier repeats, at least and at most; undefined for what is none. */
const repeatsOf = (token: string): readonly [number, number] | undefined => {
  if (token === "*" || token === "+") return [0, LONGEST];
  if (token === "?") return [0, 1];
  const [, least, comma, most] = /^\{(\d+)(,?)(\d*)\}$/.exec(token) ?? [];
  if (least === undefined) return undefined;
  const from = Math.min(Number(least), LONGEST);
  return [from, comma ? Math.min(Number(most || LONGEST), LONGEST) : from];
};
