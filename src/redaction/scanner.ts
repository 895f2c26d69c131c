import { compile, type Instruction, isBreak, isWord } from "./pattern.ts";
import type { Rule } from "./rules.ts";

/** Compiled rules, created once per agent. */
export interface Program {
  readonly instructions: readonly Instruction[];
  readonly starts: readonly number[];
  readonly rules: readonly Rule[];
  /** Instructions of rules with `accepts`. Such a rule may reject a match and accept one that begins later, so all its threads are kept. */
  readonly judged: readonly boolean[];
  /** A cache of the threads that a character starts, by the character and the kind of the one before it. */
  readonly begun: Map<number, readonly Begun[]>;
}

interface Begun {
  readonly at: number;
  readonly isSecret: boolean;
}

const MAX_BEGUN = 20_000;

export const compileRules = (rules: readonly Rule[]): Program => {
  const instructions: Instruction[] = [];
  const judged: boolean[] = [];
  const starts = rules.map(({ pattern, accepts }, index) => {
    const start = compile(instructions, pattern, index);
    while (judged.length < instructions.length) judged.push(accepts !== undefined);
    return start;
  });
  return { instructions, starts, rules, judged, begun: new Map() };
};

export const REDACTED = "[redacted]";
/** Text that may become a match is held back for at most this many characters. */
export const LONGEST = 1024;

interface Thread {
  readonly at: number;
  readonly start: number;
  readonly secret: number;
  readonly secretEnd: number;
}

/** A match of a rule. A match longer than `LONGEST` is reported in consecutive parts. */
export interface Found {
  start: number;
  end: number;
  readonly rule: Rule;
}

/**
 * Reads a text in pieces and returns it without the matches of the rules. Holds back text that may be the beginning of a
 * match until that is certain, so no part of a match is returned, however the text is split. The cost of a character does
 * not depend on the text before it.
 */
export class Scanner {
  readonly #program: Program;
  readonly #onFound: (rule: Rule) => void;
  readonly #onRemoved: ((found: Found) => void) | undefined;
  /** The buffered text, starting at `#from`. */
  #text = "";
  #from = 0;
  /** Everything before this position has been returned or removed. */
  #emitted = 0;
  #position = 0;
  #before = -1;
  #threads: Thread[] = [];
  #found: Found[] = [];
  /** The end of the last removed match. A match that overlaps it counts as the same. */
  #leftOut = -1;
  readonly #seen: Int32Array;
  #generation = 0;

  constructor(program: Program, onFound: (rule: Rule) => void, onRemoved?: (found: Found) => void) {
    this.#program = program;
    this.#onFound = onFound;
    this.#onRemoved = onRemoved;
    this.#seen = new Int32Array(program.instructions.length);
  }

  push(piece: string): string {
    this.#text += piece;
    for (let index = 0; index < piece.length; index++) this.#step(piece.charCodeAt(index));
    this.#letGo();
    let open = this.#position;
    for (const { start } of this.#threads) if (start < open) open = start;
    return this.#emit(open);
  }

  /** Returns the rest of the text and resets the scanner. */
  end(): string {
    this.#generation++;
    for (const { at, start, secret, secretEnd } of this.#threads)
      this.#follow(at, start, secret, secretEnd, -1, undefined);
    const emitted = this.#emit(this.#position);
    this.#threads = [];
    this.#found = [];
    this.#text = "";
    this.#from = this.#emitted = this.#position = 0;
    this.#before = this.#leftOut = -1;
    return emitted;
  }

  #step(code: number): void {
    this.#generation++;
    const next: Thread[] = [];
    for (const { at, start: since, secret, secretEnd } of this.#threads)
      this.#follow(at, since, secret, secretEnd, code, next);
    const start = this.#position;
    for (const { at, isSecret } of begunBy(this.#program, this.#before, code)) {
      if (this.#isSeen(at - 1)) continue;
      next.push({ at, start, secret: isSecret ? start : -1, secretEnd: -1 });
    }
    this.#threads = next;
    this.#before = code;
    this.#position++;
  }

  /** Advances a thread to its next character instruction, and past it if `code` matches. Earlier threads go first and win. */
  #follow(
    at: number,
    start: number,
    secret: number,
    secretEnd: number,
    code: number,
    next: Thread[] | undefined,
  ): void {
    if (this.#isSeen(at)) return;
    const instruction = this.#program.instructions[at]!;
    switch (instruction.do) {
      case "char":
        if (code >= 0 && instruction.has(code)) next?.push({ at: at + 1, start, secret, secretEnd });
        return;
      case "split":
        for (const to of instruction.to) this.#follow(to, start, secret, secretEnd, code, next);
        return;
      case "assert":
        if (instruction.holds(this.#before, code)) this.#follow(at + 1, start, secret, secretEnd, code, next);
        return;
      case "begin":
        return this.#follow(at + 1, start, this.#position, secretEnd, code, next);
      case "end":
        return this.#follow(at + 1, start, secret, this.#position, code, next);
      case "match":
        return this.#match(start, secret, secretEnd, instruction.rule);
    }
  }

  /** Whether an earlier thread is already at this instruction. Its match would include the match of this one. */
  #isSeen(at: number): boolean {
    const generation = this.#generation;
    if (this.#seen[at] === generation && !this.#program.judged[at]) return true;
    this.#seen[at] = generation;
    return false;
  }

  #match(start: number, secret: number, secretEnd: number, index: number): void {
    const rule = this.#program.rules[index]!;
    const [from, to] = secret < 0 ? [start, this.#position] : [secret, secretEnd];
    if (rule.accepts && !rule.accepts(this.#between(from, to))) return;
    const same = this.#found.find((other) => from <= other.end && to >= other.start);
    if (same) {
      same.start = Math.min(same.start, from);
      same.end = Math.max(same.end, to);
    } else {
      this.#found.push({ start: from, end: to, rule });
      if (from > this.#leftOut) this.#onFound(rule);
    }
  }

  /** Drops threads older than `LONGEST` that have not matched yet. Threads that have matched continue. */
  #letGo(): void {
    const oldest = this.#position - LONGEST;
    if (!this.#threads.some(({ start }) => start < oldest)) return;
    this.#threads = this.#threads.flatMap((thread) => {
      if (thread.start >= oldest) return [thread];
      const from = thread.secret < 0 ? thread.start : thread.secret;
      const found = this.#found.find(({ start, end }) => start <= from && end > from);
      // Continues after what it has matched, so a match of any length is removed completely.
      if (found) return [{ ...thread, start: found.end, secret: thread.secret < 0 ? -1 : found.end }];
      return [];
    });
  }

  /** Returns the text up to `open`, before which no further match can begin. Keeps the rest, because `accepts` needs whole matches. */
  #emit(open: number): string {
    this.#found.sort((one, other) => one.start - other.start);
    let emitted = "";
    while (this.#found[0] && this.#found[0].start < open) {
      const found = this.#found.shift()!;
      const { start, end } = found;
      this.#onRemoved?.(found);
      if (start > this.#leftOut) emitted += this.#between(this.#emitted, start) + REDACTED;
      this.#leftOut = Math.max(this.#leftOut, end);
      this.#emitted = Math.max(this.#emitted, end);
    }
    emitted += this.#between(this.#emitted, open);
    this.#emitted = Math.max(this.#emitted, open);
    this.#text = this.#text.slice(open - this.#from);
    this.#from = open;
    return emitted;
  }

  #between(start: number, end: number): string {
    return start < end ? this.#text.slice(start - this.#from, end - this.#from) : "";
  }
}

/** The threads that this character starts. */
const begunBy = (program: Program, before: number, code: number): readonly Begun[] => {
  const { begun, instructions } = program;
  const key = code * 4 + kindOf(before);
  const known = begun.get(key);
  if (known) return known;
  const list: Begun[] = [];
  const seen = new Set<number>();
  const follow = (at: number, isSecret: boolean): void => {
    if (seen.has(at)) return;
    seen.add(at);
    const instruction = instructions[at]!;
    if (instruction.do === "char") {
      if (instruction.has(code)) list.push({ at: at + 1, isSecret });
    } else if (instruction.do === "split") for (const to of instruction.to) follow(to, isSecret);
    else if (instruction.do === "assert") {
      if (instruction.holds(before, code)) follow(at + 1, isSecret);
    } else if (instruction.do !== "match") follow(at + 1, isSecret || instruction.do === "begin");
  };
  for (const at of program.starts) follow(at, false);
  if (begun.size >= MAX_BEGUN) begun.clear();
  begun.set(key, list);
  return list;
};

/** The character class, with all that assertions depend on. */
const kindOf = (code: number): number => (code < 0 ? 0 : isWord(code) ? 1 : isBreak(code) ? 2 : 3);
