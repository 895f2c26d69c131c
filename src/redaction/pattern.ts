/**
 * Regular expressions that are matched as text arrives, in time linear in the length of the text for any pattern, by
 * simulating all paths through the pattern in parallel (Thompson's construction). Lookaround and backreferences cannot be
 * matched this way and are rejected.
 */
export type Instruction =
  | { readonly do: "char"; readonly has: (code: number) => boolean }
  | { readonly do: "split"; readonly to: number[] }
  | { readonly do: "assert"; readonly holds: Assertion }
  /** The beginning or end of the group `secret`: `key=(?<secret>\w+)`. */
  | { readonly do: "begin" | "end" }
  | { readonly do: "match"; readonly rule: number };

/** Tests the characters before and after a position. -1 means none. */
export type Assertion = (before: number, after: number) => boolean;

type Node =
  | { readonly kind: "char"; readonly has: (code: number) => boolean }
  | { readonly kind: "assert"; readonly holds: Assertion }
  | { readonly kind: "sequence"; readonly nodes: readonly Node[] }
  | { readonly kind: "either"; readonly nodes: readonly Node[] }
  | { readonly kind: "repeat"; readonly node: Node; readonly least: number; readonly most: number }
  | { readonly kind: "secret"; readonly node: Node };

/** The limit for a compiled pattern. Counted repetitions are expanded. */
const MAX_INSTRUCTIONS = 4000;

/** Adds a rule's pattern to a program and returns its start. Throws for an unsupported pattern. */
export const compile = (program: Instruction[], pattern: RegExp, rule: number): number => {
  const start = program.length;
  emit(program, new Parser(pattern).parse());
  program.push({ do: "match", rule });
  if (program.length - start > MAX_INSTRUCTIONS)
    throw new Error(`the pattern ${pattern} is too large; use smaller repetition counts`);
  return start;
};

const emit = (program: Instruction[], node: Node): void => {
  if (program.length > 10 * MAX_INSTRUCTIONS)
    throw new Error("the patterns are too large; use smaller repetition counts");
  switch (node.kind) {
    case "char":
      return void program.push({ do: "char", has: withTable(node.has) });
    case "assert":
      return void program.push({ do: "assert", holds: node.holds });
    case "sequence":
      return node.nodes.forEach((inner) => emit(program, inner));
    case "secret":
      program.push({ do: "begin" });
      emit(program, node.node);
      return void program.push({ do: "end" });
    case "either": {
      const split = branch(program);
      const jumps = node.nodes.map((inner) => {
        split.push(program.length);
        emit(program, inner);
        return branch(program);
      });
      for (const jump of jumps) jump.push(program.length);
      return;
    }
    case "repeat": {
      const { least, most, node: inner } = node;
      for (let count = 0; count < least; count++) emit(program, inner);
      if (most === Infinity) {
        const loop = program.length;
        const split = branch(program);
        split.push(program.length);
        emit(program, inner);
        branch(program).push(loop);
        return void split.push(program.length);
      }
      const skips: number[][] = [];
      for (let count = least; count < most; count++) {
        const split = branch(program);
        split.push(program.length);
        skips.push(split);
        emit(program, inner);
      }
      for (const skip of skips) skip.push(program.length);
    }
  }
};

/** Caches the result for ASCII characters, which most are. */
const withTable = (has: (code: number) => boolean): ((code: number) => boolean) => {
  const table = Uint8Array.from({ length: 128 }, (_, code) => Number(has(code)));
  return (code) => (code < 128 ? table[code] === 1 : has(code));
};

/** Adds a split and returns its list of targets, to be filled in later. */
const branch = (program: Instruction[]): number[] => {
  const to: number[] = [];
  program.push({ do: "split", to });
  return to;
};

type Has = (code: number) => boolean;
export const isWord: Has = (code) =>
  (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || code === 95 || (code >= 97 && code <= 122);
const isDigit: Has = (code) => code >= 48 && code <= 57;
const isSpace: Has = (code) => code >= 0 && /\s/.test(String.fromCharCode(code));
export const isBreak: Has = (code) => code === 10 || code === 13 || code === 0x2028 || code === 0x2029;
const not =
  (has: Has): Has =>
  (code) =>
    !has(code);
const CLASSES: Readonly<Record<string, Has>> = {
  d: isDigit,
  D: not(isDigit),
  w: isWord,
  W: not(isWord),
  s: isSpace,
  S: not(isSpace),
};
const CONTROLS: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9, f: 12, v: 11, 0: 0 };
const isBoundary: Assertion = (before, after) => isWord(before) !== isWord(after);

class Parser {
  readonly #pattern: RegExp;
  readonly #source: string;
  #at = 0;

  constructor(pattern: RegExp) {
    this.#pattern = pattern;
    this.#source = pattern.source;
    if (/[uvy]/.test(pattern.flags)) throw this.#refused(`the flag ${/[uvy]/.exec(pattern.flags)![0]}`);
  }

  parse(): Node {
    const node = this.#either();
    if (this.#at < this.#source.length) throw this.#refused("an unbalanced parenthesis");
    if (canBeEmpty(node)) throw new Error(`the pattern ${this.#pattern} matches an empty string`);
    return node;
  }

  #either(): Node {
    const nodes = [this.#sequence()];
    while (this.#takes("|")) nodes.push(this.#sequence());
    return nodes.length === 1 ? nodes[0]! : { kind: "either", nodes };
  }

  #sequence(): Node {
    const nodes: Node[] = [];
    while (this.#at < this.#source.length && !"|)".includes(this.#source[this.#at]!)) nodes.push(this.#repeated());
    return { kind: "sequence", nodes };
  }

  #repeated(): Node {
    const node = this.#atom();
    const [text, least, comma, most] = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/.exec(this.#source.slice(this.#at)) ?? [];
    if (text === undefined) return node;
    this.#at += text.length;
    if (text.startsWith("*")) return { kind: "repeat", node, least: 0, most: Infinity };
    if (text.startsWith("+")) return { kind: "repeat", node, least: 1, most: Infinity };
    if (text.startsWith("?")) return { kind: "repeat", node, least: 0, most: 1 };
    const from = Number(least);
    const to = comma === "" ? from : most === "" ? Infinity : Number(most);
    if (from > MAX_INSTRUCTIONS || (to !== Infinity && to > MAX_INSTRUCTIONS))
      throw this.#refused(`a repetition count over ${MAX_INSTRUCTIONS}`);
    return { kind: "repeat", node, least: from, most: to };
  }

  #atom(): Node {
    if (this.#takes("(")) return this.#group();
    if (this.#takes("[")) return { kind: "char", has: this.#cased(this.#set()) };
    if (this.#takes(".")) return { kind: "char", has: this.#pattern.dotAll ? () => true : not(isBreak) };
    const lines = this.#pattern.multiline;
    if (this.#takes("^")) return { kind: "assert", holds: (before) => before < 0 || (lines && isBreak(before)) };
    if (this.#takes("$")) return { kind: "assert", holds: (_, after) => after < 0 || (lines && isBreak(after)) };
    if (this.#takes("\\b")) return { kind: "assert", holds: isBoundary };
    if (this.#takes("\\B")) return { kind: "assert", holds: (before, after) => !isBoundary(before, after) };
    return { kind: "char", has: this.#cased(this.#character()) };
  }

  #group(): Node {
    const [opening = ""] = /^\?(?:<\w+>|:|<?[=!]|[\w-]*:)?/.exec(this.#source.slice(this.#at)) ?? [];
    if (/[=!]$/.test(opening)) throw this.#refused("lookahead or lookbehind");
    if (opening !== "" && !/^\?(?::|<\w+>)$/.test(opening)) throw this.#refused(`(${opening}`);
    this.#at += opening.length;
    const node = this.#either();
    if (!this.#takes(")")) throw this.#refused("an unbalanced parenthesis");
    return opening === "?<secret>" ? { kind: "secret", node } : node;
  }

  #set(): Has {
    const isNegated = this.#takes("^");
    const members: Has[] = [];
    while (!this.#takes("]")) {
      if (this.#at >= this.#source.length) throw this.#refused("an unbalanced bracket");
      const [low, isRange] = [this.#member(), /^-[^\]]/.test(this.#source.slice(this.#at))];
      if (typeof low !== "number" || !isRange) {
        members.push(typeof low === "number" ? (code) => code === low : low);
        continue;
      }
      this.#at++;
      const high = this.#member();
      if (typeof high !== "number") throw this.#refused("a range that ends with a class");
      members.push((code) => code >= low && code <= high);
    }
    const has: Has = (code) => members.some((member) => member(code));
    return isNegated ? not(this.#cased(has)) : has;
  }

  #member(): number | Has {
    if (this.#takes("\\b")) return 8;
    return this.#codeOrClass();
  }

  #character(): Has {
    const found = this.#codeOrClass();
    return typeof found === "number" ? (code) => code === found : found;
  }

  #codeOrClass(): number | Has {
    const character = this.#source[this.#at++]!;
    if (character !== "\\") return character.charCodeAt(0);
    const escaped = this.#source[this.#at++] ?? "";
    const hex = { x: 2, u: 4 }[escaped];
    if (hex !== undefined) {
      const digits = this.#source.slice(this.#at, (this.#at += hex));
      if (!/^[\da-f]+$/i.test(digits) || digits.length < hex) throw this.#refused(`\\${escaped}${digits}`);
      return Number.parseInt(digits, 16);
    }
    if (CLASSES[escaped]) return CLASSES[escaped];
    if (escaped in CONTROLS) return CONTROLS[escaped]!;
    if (/[1-9a-z]/i.test(escaped)) throw this.#refused(`\\${escaped}`);
    return escaped.charCodeAt(0);
  }

  #cased(has: Has): Has {
    if (!this.#pattern.ignoreCase) return has;
    return (code) => {
      if (has(code)) return true;
      const text = String.fromCharCode(code);
      return has(text.toLowerCase().charCodeAt(0)) || has(text.toUpperCase().charCodeAt(0));
    };
  }

  #takes(text: string): boolean {
    if (!this.#source.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  #refused(what: string): Error {
    return new Error(`the pattern ${this.#pattern} uses ${what}, which cannot be matched while text arrives`);
  }
}

const canBeEmpty = (node: Node): boolean => {
  switch (node.kind) {
    case "char":
      return false;
    case "assert":
      return true;
    case "sequence":
      return node.nodes.every(canBeEmpty);
    case "either":
      return node.nodes.some(canBeEmpty);
    case "repeat":
      return node.least === 0 || canBeEmpty(node.node);
    case "secret":
      return canBeEmpty(node.node);
  }
};
