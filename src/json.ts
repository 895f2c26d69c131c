import { GrowingText } from "./json/growing-text.ts";

/**
 * Parses JSON that arrives in chunks.
 *
 * - The result does not depend on the chunking and equals that of `JSON.parse`. Text that it rejects is invalid, as are
 *   more than 1000 levels.
 * - The cost of a chunk is proportional to its length. Nothing is read twice.
 * - Invalid text never throws: `isInvalid` reports it, and `value` keeps what was read before it.
 */
export interface JsonParser {
  /** Reads the next chunk. It may end anywhere, even within an escape or a surrogate pair. Throws only after `end`. */
  push(text: string): void;
  /** Ends the text. Incomplete text becomes invalid. Further calls have no effect. */
  end(): void;
  /**
   * The value so far, or undefined before it starts. It belongs to the parser and changes in place: objects and arrays
   * keep their identity. Strings grow. Numbers, true, false, and null appear when complete, and a key appears with its
   * value. A string never ends in half a surrogate pair while the other half may follow.
   */
  readonly value: unknown;
  /** True from the first invalid character on. For a number or word, from its end on. */
  readonly isInvalid: boolean;
  /**
   * Whether the value at this path (object keys and array indices, empty for the whole) exists and is final. A string
   * or container is final at its closing character, any other value at what follows it or at `end`. Only a repeated key
   * makes it incomplete again, until its new value is final.
   */
  complete(path?: JsonPath): boolean;
}

export type JsonPath = readonly (string | number)[];

export const createJsonParser = (): JsonParser => new Parser();
export { type Fields, fieldsOf, listOf, parseFields } from "./json/fields.ts";
export { parseJson } from "./json/parse.ts";
export { applyPatch } from "./json/patch.ts";

/** An open container, and the key of the value being written. */
interface Level {
  readonly container: unknown[] | Record<string, unknown>;
  key: string | number | undefined;
}

const MAX_LEVELS = 1000;
// What the next character may be.
const VALUE = "a value";
const FIRST_VALUE = 'a value or "]"';
const KEY = "a key";
const FIRST_KEY = 'a key or "}"';
const COLON = '":"';
const AFTER_ITEM = '"," or "]"';
const AFTER_FIELD = '"," or "}"';
const END = "the end";
const WORD = "true, false, null or a number";
const STRING = "the rest of a string without bare control characters";
const DEPTH = `at most ${MAX_LEVELS} levels`;
const ESCAPE = 'one of "\\/bfnrt or u and four hexadecimal digits';
const WORD_CHARACTERS = "+-.0123456789Eaeflnrstu";
const LITERALS: Readonly<Record<string, unknown>> = { true: true, false: false, null: null };
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/;
const UNICODE = /^u[\da-fA-F]{0,4}$/;
const ESCAPED = '"\\/bfnrt';
const MEANT = '"\\/\b\f\n\r\t';

/** Completeness is not stored: every value present is final except the open levels and the values at their keys. */
class Parser implements JsonParser {
  value: unknown = undefined;
  isInvalid = false;

  #ended = false;
  #mode: string = VALUE;
  readonly #levels: Level[] = [];
  #level: Level | undefined = undefined;

  #text = new GrowingText();
  /** The part of a string from this push, preceded by a high surrogate that still waits for its other half. */
  #piece = "";
  #isKey = false;
  #word = "";
  /** The escape read so far, without its backslash. */
  #escape = "";

  push(text: string): void {
    if (this.#ended) throw new Error("A JSON parser accepts no input after end()");
    for (let index = 0; index < text.length && !this.isInvalid; index++) {
      if (this.#mode === STRING) {
        index = this.#takePlain(text, index);
        if (index === text.length) break;
      }
      if (!this.#take(text[index]!)) this.isInvalid = true;
    }
    if (this.#mode === STRING || this.#mode === ESCAPE) this.#showString();
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    if (this.isInvalid) return;
    if (this.#mode === WORD) this.#endWord();
    if (this.#mode !== END) this.isInvalid = true;
  }

  complete(path: JsonPath = []): boolean {
    let depth = 0;
    while (depth < path.length && this.#levels[depth]?.key === path[depth]) depth++;
    const open = this.#levels[depth];
    if (open ? depth === path.length : depth > 0 || this.#mode !== END) return false;
    return path.slice(depth).reduce(childOf, open ? open.container : this.value) !== undefined;
  }

  /** Returns false for a character that is not allowed here. */
  #take(character: string): boolean {
    switch (this.#mode) {
      case VALUE:
      case FIRST_VALUE:
        if (character === "]" && this.#mode === FIRST_VALUE) return this.#close();
        return isSpace(character) || this.#begin(character);
      case KEY:
      case FIRST_KEY:
        if (character === "}" && this.#mode === FIRST_KEY) return this.#close();
        return isSpace(character) || (character === '"' && this.#beginString(true));
      case COLON:
        return isSpace(character) || (character === ":" && this.#enter(VALUE));
      case WORD:
        return this.#takeWord(character);
      case STRING:
        return character === '"' ? this.#endString() : character === "\\" && this.#enter(ESCAPE);
      case ESCAPE:
        return this.#takeEscape(character);
      default:
        return this.#takeAfter(character);
    }
  }

  #enter(mode: string): true {
    this.#mode = mode;
    return true;
  }

  #begin(character: string): boolean {
    const level = this.#level;
    if (level && Array.isArray(level.container)) level.key = level.container.length;
    switch (character) {
      case '"':
        return this.#beginString(false);
      case "{":
        return this.#open({}, FIRST_KEY);
      case "[":
        return this.#open([], FIRST_VALUE);
      default:
        this.#word = character;
        return WORD_CHARACTERS.includes(character) && this.#enter(WORD);
    }
  }

  #open(container: Level["container"], mode: string): boolean {
    if (this.#levels.length === MAX_LEVELS) return !this.#enter(DEPTH);
    this.#place(container);
    this.#level = { container, key: undefined };
    this.#levels.push(this.#level);
    return this.#enter(mode);
  }

  #close(): true {
    this.#levels.pop();
    this.#level = this.#levels.at(-1);
    return this.#leave();
  }

  #settle(value: unknown): true {
    this.#place(value);
    return this.#leave();
  }

  #leave(): true {
    if (!this.#level) return this.#enter(END);
    this.#level.key = undefined;
    return this.#enter(Array.isArray(this.#level.container) ? AFTER_ITEM : AFTER_FIELD);
  }

  #place(value: unknown): void {
    const level = this.#level;
    if (!level) this.value = value;
    else if (level.key === "__proto__") {
      // An assignment would set the prototype. `JSON.parse` creates a field.
      Object.defineProperty(level.container, level.key, {
        value,
        writable: true,
        enumerable: true,
        configurable: true,
      });
    } else (level.container as Record<string | number, unknown>)[level.key!] = value;
  }

  #takeAfter(character: string): boolean {
    if (isSpace(character)) return true;
    if (this.#mode === END) return false;
    if (character === ",") return this.#enter(this.#mode === AFTER_ITEM ? VALUE : KEY);
    return character === (this.#mode === AFTER_ITEM ? "]" : "}") && this.#close();
  }

  #takeWord(character: string): boolean {
    if (!WORD_CHARACTERS.includes(character)) return this.#endWord() && this.#takeAfter(character);
    this.#word += character;
    return true;
  }

  #endWord(): boolean {
    const word = this.#word;
    if (Object.hasOwn(LITERALS, word)) return this.#settle(LITERALS[word]);
    return NUMBER.test(word) && this.#settle(Number(word));
  }

  #beginString(isKey: boolean): true {
    this.#isKey = isKey;
    this.#text = new GrowingText();
    return this.#enter(STRING);
  }

  /** Reads unescaped characters and returns the index of their end. */
  #takePlain(text: string, from: number): number {
    let index = from;
    for (; index < text.length; index++) {
      const code = text.charCodeAt(index);
      if (code === 0x22 || code === 0x5c || code < 0x20) break;
    }
    if (index > from) this.#piece += text.slice(from, index);
    return index;
  }

  #takeEscape(character: string): boolean {
    const escape = (this.#escape += character);
    const index = ESCAPED.indexOf(escape);
    if (index < 0 && !UNICODE.test(escape)) return false;
    if (index < 0 && escape.length < 5) return true;
    this.#piece += index < 0 ? String.fromCharCode(Number.parseInt(escape.slice(1), 16)) : MEANT[index];
    this.#escape = "";
    return this.#enter(STRING);
  }

  #endString(): true {
    this.#text.add(this.#piece);
    this.#piece = "";
    if (!this.#isKey) return this.#settle(this.#text.text);
    this.#level!.key = this.#text.text;
    return this.#enter(COLON);
  }

  #showString(): void {
    const piece = this.#piece;
    const isHalf = (piece.charCodeAt(piece.length - 1) & 0xfc00) === 0xd800;
    this.#text.add(isHalf ? piece.slice(0, -1) : piece);
    this.#piece = isHalf ? piece.slice(-1) : "";
    if (!this.#isKey) this.#place(this.#text.text);
  }
}

const isSpace = (character: string): boolean => " \n\r\t".includes(character);

const childOf = (value: unknown, key: string | number): unknown => {
  if (Array.isArray(value)) return typeof key === "number" ? value[key] : undefined;
  const isThere = typeof key === "string" && typeof value === "object" && value !== null && Object.hasOwn(value, key);
  return isThere ? (value as Record<string, unknown>)[key] : undefined;
};
