import { setImmediate } from "node:timers/promises";
import type { Json } from "../events.ts";
import { isKeyField } from "./rules.ts";
import { type Program, REDACTED, Scanner } from "./scanner.ts";

/** Yields to the event loop after this many characters. */
const TURN = 8 * 1024;
/** A longer text that must be cleaned synchronously is removed completely. */
const MAX_AT_ONCE = 16 * 1024;

/** Removes what the rules find from texts and values. */
export class Cleaner {
  readonly program: Program;
  readonly #isField: (name: string) => boolean;
  readonly #scanner: Scanner;
  readonly #counts = new Map<string, number>();
  #sinceTurn = 0;

  constructor(program: Program, fields: ReadonlySet<string>, hasKeys: boolean) {
    this.program = program;
    this.#isField = (name) => fields.has(plain(name)) || (hasKeys && isKeyField(name));
    this.#scanner = this.scanner();
  }

  /** The number of removals, by what was removed. */
  get counts(): ReadonlyMap<string, number> {
    return this.#counts;
  }

  /** A scanner for a text that arrives in pieces. */
  scanner(): Scanner {
    return new Scanner(this.program, ({ name }) => this.count(name));
  }

  count(name: string): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  /** Yields to the event loop while it cleans a long text. */
  async text(text: string): Promise<string> {
    const scanner = text.length > TURN ? this.scanner() : this.#scanner;
    let clean = "";
    for (let start = 0; start < text.length; start += TURN) {
      clean += scanner.push(text.slice(start, start + TURN));
      this.#sinceTurn += Math.min(TURN, text.length - start);
      if (this.#sinceTurn < TURN) continue;
      this.#sinceTurn = 0;
      // Yield only with a private scanner, because other texts would use the shared one in the meantime.
      if (scanner !== this.#scanner) await setImmediate();
    }
    return clean + scanner.end();
  }

  textSync(text: string): string {
    if (text.length <= MAX_AT_ONCE) return this.#scanner.push(text) + this.#scanner.end();
    this.count("long text");
    return REDACTED;
  }

  async json<Value>(value: Value, key = ""): Promise<Value> {
    if (typeof value === "string") return (this.#leaves(key, value) ?? (await this.text(value))) as Value;
    if (typeof value === "number") return this.#number(value, key) as Value;
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) {
      const list: unknown[] = [];
      for (const item of value) list.push(await this.json(item, key));
      return list as Value;
    }
    if (this.#isField(key)) return this.#leaveOut() as Value;
    const fields: [string, unknown][] = [];
    for (const [name, inner] of Object.entries(value))
      fields.push([await this.text(name), await this.json(inner, name)]);
    return Object.fromEntries(fields) as Value;
  }

  jsonSync<Value>(value: Value, key = ""): Value {
    if (typeof value === "string") return (this.#leaves(key, value) ?? this.textSync(value)) as Value;
    if (typeof value === "number") return this.#number(value, key) as Value;
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map((item) => this.jsonSync(item, key)) as Value;
    if (this.#isField(key)) return this.#leaveOut() as Value;
    const fields = Object.entries(value).map(([name, inner]) => [this.textSync(name), this.jsonSync(inner, name)]);
    return Object.fromEntries(fields) as Value;
  }

  #leaves(key: string, value: string): string | undefined {
    return value !== "" && value !== REDACTED && this.#isField(key) ? this.#leaveOut() : undefined;
  }

  #number(value: number, key: string): Json {
    if (this.#isField(key)) return this.#leaveOut();
    const text = String(value);
    return this.textSync(text) === text ? value : REDACTED;
  }

  #leaveOut(): string {
    this.count("field");
    return REDACTED;
  }
}

/** Makes `cardNumber`, `card_number` and `Card-Number` equal. */
export const plain = (name: string): string => name.toLowerCase().replace(/[-_.\s]/g, "");
