import { Refusal } from "../../source.ts";

/**
 * A matcher for relative paths: `*` and `?` within a name, `**` for any number of directories, `[a-z]` and `{one,two}`.
 * Takes at most time proportional to the product of both lengths for any pattern, because it never tries anything
 * twice.
 */
export const compileGlob = (pattern: string): ((path: string) => boolean) => {
  const alternatives = expandBraces(pattern.replace(/^(?:\.?\/)+/, "")).map((one) => one.split("/").map(compileName));
  return (path) => alternatives.some((names) => matchNames(names, path.split("/")));
};

type Token = { readonly star: true } | { readonly star: false; readonly fits: (character: string) => boolean };
type Name = "**" | readonly Token[];

const matchNames = (pattern: readonly Name[], names: readonly string[]): boolean => {
  let states = follow(pattern, new Set([0]));
  for (const name of names) {
    const next = new Set<number>();
    for (const state of states) {
      const part = pattern[state];
      if (part === "**") next.add(state);
      else if (part && matchName(part, name)) next.add(state + 1);
    }
    states = follow(pattern, next);
  }
  return states.has(pattern.length);
};

/** `**` also matches zero directories. */
const follow = (pattern: readonly Name[], states: Set<number>): Set<number> => {
  for (const state of states) if (pattern[state] === "**") states.add(state + 1);
  return states;
};

const matchName = (tokens: readonly Token[], name: string): boolean => {
  const characters = [...name];
  let token = 0;
  let star = -1;
  let from = 0;
  for (let at = 0; at < characters.length;) {
    const current = tokens[token];
    if (current?.star) {
      star = token;
      token += 1;
      from = at;
    } else if (current && !current.star && current.fits(characters[at]!)) {
      token += 1;
      at += 1;
    } else if (star >= 0) {
      // Only the last star needs to take more: the earlier ones already match as little as possible.
      token = star + 1;
      from += 1;
      at = from;
    } else return false;
  }
  while (tokens[token]?.star) token += 1;
  return token === tokens.length;
};

const compileName = (name: string): Name => {
  if (name === "**") return "**";
  const tokens: Token[] = [];
  const characters = [...name];
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at]!;
    const close = character === "[" ? characters.indexOf("]", at + 2) : -1;
    if (character === "*") tokens.push({ star: true });
    else if (character === "?") tokens.push({ star: false, fits: () => true });
    else if (close > 0) {
      tokens.push({ star: false, fits: compileSet(characters.slice(at + 1, close)) });
      at = close;
    } else tokens.push({ star: false, fits: (other) => other === character });
  }
  return tokens;
};

const compileSet = (characters: readonly string[]): ((character: string) => boolean) => {
  const isNegated = characters[0] === "!" || characters[0] === "^";
  const members = isNegated ? characters.slice(1) : characters;
  return (character) => {
    let isIn = false;
    for (let at = 0; at < members.length; at++) {
      if (members[at + 1] === "-" && at + 2 < members.length) {
        isIn ||= members[at]! <= character && character <= members[at + 2]!;
        at += 2;
      } else isIn ||= members[at] === character;
    }
    return isIn !== isNegated;
  };
};

const MAX_ALTERNATIVES = 64;

const expandBraces = (pattern: string): string[] => {
  const done: string[] = [];
  const open = [pattern];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    const inner = /\{([^{}]*,[^{}]*)\}/.exec(one);
    if (!inner) done.push(one);
    else {
      const [before, after] = [one.slice(0, inner.index), one.slice(inner.index + inner[0].length)];
      open.push(...inner[1]!.split(",").map((choice) => before + choice + after));
    }
    if (done.length + open.length > MAX_ALTERNATIVES) {
      throw new Refusal(
        "too-many",
        `The pattern's braces expand to more than ${MAX_ALTERNATIVES} patterns. Use fewer.`,
      );
    }
  }
  return done;
};
