import { compile, type Instruction, isBreak, isWord } from "./pattern.ts";
import type { Rule } from "./rules.ts";

/** What rules look for, made once for an agent. */
export interface Program {
  readonly instructions: readonly Instruction[];
  readonly starts: readonly number[];
  readonly rules: readonly Rule[];
  /** Which instructions belong to a rule that judges what it finds: one that began later may be right where an earlier one is not. */
  readonly judged: readonly boolean[];
  /** What a character begins, by the character and the one before. Nearly every character begins the same as the last time. */
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
/** What might still become a match is held back for so many characters, and then let go. */
export const LONGEST = 1024;

interface Thread {
  readonly at: number;
  readonly start: number;
  readonly secret: number;
  readonly secretEnd: number;
}

/** What a rule found. A match that is longer than `LONGEST` is reported in parts that follow each other. */
export interface Found {
  start: number;
  end: number;
  readonly rule: Rule;
}

/**
 * Reads a text in pieces and gives it back without what the rules find. A piece that may be the beginning of a match is held back until that is
 * decided, so nothing of a match is ever given, however the text was cut. Each character costs the same, whatever came before.
 */
export class Scanner {
  readonly #program: Program;
  readonly #onFound: (rule: Rule) => void;
  readonly #onRemoved: ((found: Found) => void) | undefined;
  /** The text from `#from` on. */
  #text = "";
  #from = 0;
  /** Everything before is given or left out. */
  #given = 0;
  #position = 0;
  #before = -1;
  #threads: Thread[] = [];
  #found: Found[] = [];
  /** A match that was left out ended here: one that overlaps it is the same. */
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
    return this.#give(open);
  }

  /** The rest. The scanner then begins anew. */
  end(): string {
    this.#generation++;
    for (const { at, start, secret, secretEnd } of this.#threads)
      this.#follow(at, start, secret, secretEnd, -1, undefined);
    const given = this.#give(this.#position);
    this.#threads = [];
    this.#found = [];
    this.#text = "";
    this.#from = this.#given = this.#position = 0;
    this.#before = this.#leftOut = -1;
    return given;
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

  /** Goes on from a thread as far as no character is needed, and over the next one. Who began first is followed first and keeps its place. */
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

  /** Whether a thread that began earlier is there already: what it finds is what this one would find, and more. */
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

  /** Threads that have gone on for too long: what they have found is left out now, what they might have found is not waited for. */
  #letGo(): void {
    const oldest = this.#position - LONGEST;
    if (!this.#threads.some(({ start }) => start < oldest)) return;
    this.#threads = this.#threads.flatMap((thread) => {
      if (thread.start >= oldest) return [thread];
      const from = thread.secret < 0 ? thread.start : thread.secret;
      const found = this.#found.find(({ start, end }) => start <= from && end > from);
      // It goes on from what it has found; that is not given any more, however long it gets.
      if (found) return [{ ...thread, start: found.end, secret: thread.secret < 0 ? -1 : found.end }];
      return [];
    });
  }

  /** Everything up to `open`, which no match can begin before any more. The text after that stays, given or left out: rules judge all of a match. */
  #give(open: number): string {
    this.#found.sort((one, other) => one.start - other.start);
    let given = "";
    while (this.#found[0] && this.#found[0].start < open) {
      const found = this.#found.shift()!;
      const { start, end } = found;
      this.#onRemoved?.(found);
      if (start > this.#leftOut) given += this.#between(this.#given, start) + REDACTED;
      this.#leftOut = Math.max(this.#leftOut, end);
      this.#given = Math.max(this.#given, end);
    }
    given += this.#between(this.#given, open);
    this.#given = Math.max(this.#given, open);
    this.#text = this.#text.slice(open - this.#from);
    this.#from = open;
    return given;
  }

  #between(start: number, end: number): string {
    return start < end ? this.#text.slice(start - this.#from, end - this.#from) : "";
  }
}

/** Where threads are that begin with this character. */
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

/** All that an assertion asks of a character. */
const kindOf = (code: number): number => (code < 0 ? 0 : isWord(code) ? 1 : isBreak(code) ? 2 : 3);
