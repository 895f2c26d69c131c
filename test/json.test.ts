import { deepStrictEqual } from "node:assert";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createJsonParser } from "../src/json.ts";
import type { JsonParser, JsonPath } from "../src/json.ts";

const parse = (pieces: Iterable<string>): JsonParser => {
  const parser = createJsonParser();
  for (const piece of pieces) parser.push(piece);
  parser.end();
  return parser;
};

const oracle = (text: string): { value: unknown } | undefined => {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
};

/** Every split in two, one by one, and whole. */
const splits = function* (text: string): Generator<string[]> {
  yield [text];
  yield text.split("");
  for (let at = 1; at < text.length; at++) yield [text.slice(0, at), text.slice(at)];
};

const cut = (text: string, cuts: readonly number[]): string[] => {
  const places = cuts.map((place) => place % (text.length + 1)).toSorted((a, b) => a - b);
  return [...places, text.length].map((place, index) => text.slice(places[index - 1] ?? 0, place));
};
const cuts = fc.array(fc.nat(), { maxLength: 12 });

/** V8 may read an escaped key as an earlier key that contains a backslash, so the oracle must never get one. */
const withoutBackslash = (text: string): string =>
  text.replace(
    /\\(?:u.{4}|[^])/g,
    (escape) => ({ "\\\\": "\\/", "\\u005c": "\\u002f", "\\u005C": "\\u002f" })[escape] ?? escape,
  );

const spaces = fc.stringMatching(/^[ \n\r\t]{0,3}$/);
const bare = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 4 })
  .map((text) => JSON.stringify(text).slice(1, -1));
/** Characters in all spellings: unescaped, short escapes, Unicode escapes, and halves of surrogate pairs. */
const spelling = fc.oneof(
  { weight: 4, arbitrary: bare },
  fc.constantFrom('\\"', "\\\\", "\\/", "\\b", "\\f", "\\n", "\\r", "\\t", "\u2028", "\u007f", "\ufeff", "😀"),
  fc.integer({ min: 0, max: 0xffff }).map((code) => `\\u${code.toString(16).padStart(4, "0")}`),
  fc.constantFrom("\\ud83d\\ude00", "\\uD83D", "\\uDE00", "\ud83d", "\ude00", "\\ud83d\ude00"),
);
const string = fc.array(spelling, { maxLength: 6 }).map((parts) => withoutBackslash(`"${parts.join("")}"`));
const key = fc.oneof(
  fc.constantFrom('"a"', '"b"', '"__proto__"', '"constructor"', '"length"', '"0"', '""', '"\\u0061"'),
  string,
);
const scalar = fc.oneof(
  string,
  fc.constantFrom(..."true false null 0 -0 0e0 1E+400 -1e-400 123456789012345678901234567890 0.1e1".split(" ")),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => JSON.stringify(number)),
);

const texts = (repeatKeys: boolean) =>
  fc.letrec<{ text: string; value: string; field: [string, string, string, string] }>((tie) => ({
    text: fc.tuple(spaces, tie("value"), spaces).map((parts) => parts.join("")),
    value: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      scalar,
      fc.array(tie("text"), { maxLength: 4 }).map((items) => `[${items.join()}]`),
      fc
        .uniqueArray(tie("field"), { maxLength: 4, selector: (field) => (repeatKeys ? field : JSON.parse(field[1])) })
        .map(
          (fields) => `{${fields.map(([before, name, after, value]) => `${before}${name}${after}:${value}`).join()}}`,
        ),
      fc.constantFrom("[ ]", "{\n}"),
    ),
    field: fc.tuple(spaces, key, spaces, tie("text")),
  })).text;
const jsonText = texts(true);

/** A typing mistake: a character dropped, doubled or replaced, or the end missing. */
const mutated = fc
  .tuple(
    jsonText,
    fc.nat(),
    fc.constantFrom("", ",", ":", '"', "\\", "{", "}", "[", "]", "0", "-", "e", ".", "u", "\n", "\u0000", "t"),
    fc.nat(2),
  )
  .map(([text, place, character, dropped]) => {
    const at = place % (text.length + 1);
    return text.slice(0, at) + character + text.slice(at + dropped);
  });
const soup = fc.string({ unit: fc.constantFrom(...'{}[]":,\\/ntrufalse0123456789.+-eE \n\u00a0') });
const anything = fc.oneof(mutated, soup, fc.string()).map(withoutBackslash);

const places = function* (value: unknown, path: JsonPath = []): Generator<{ path: JsonPath; value: unknown }> {
  yield { path, value };
  if (typeof value !== "object" || value === null) return;
  for (const name of Object.keys(value)) {
    yield* places((value as Record<string, unknown>)[name], [...path, Array.isArray(value) ? Number(name) : name]);
  }
};

const valueAt = (value: unknown, path: JsonPath): unknown =>
  path.reduce((inner, name) => (inner as Record<string | number, unknown>)[name], value);

const isPrefix = (partial: unknown, whole: unknown): boolean => {
  if (typeof partial === "string") return typeof whole === "string" && whole.startsWith(partial);
  if (typeof partial !== "object" || partial === null) return Object.is(partial, whole);
  if (typeof whole !== "object" || whole === null || Array.isArray(partial) !== Array.isArray(whole)) return false;
  return Object.keys(partial).every(
    (name) =>
      Object.hasOwn(whole, name) &&
      isPrefix((partial as Record<string, unknown>)[name], (whole as Record<string, unknown>)[name]),
  );
};

describe("the result equals that of JSON.parse", () => {
  const examples = [
    '{"a":1,"b":[true,false,null,-0,1e3,-1.5E-7,1e999],"c":{"d":"x"}}',
    ' \t\r\n[ 1 , { "k" : [ ] } , { } ]\n',
    '{"a":1,"b":2,"a":{"c":3}}',
    '{"a":{"b":1},"a":"new","a":7}',
    '{"__proto__":{"x":1},"constructor":null,"toString":"t","__proto__":[2]}',
    '"\\u00e9\\ud83d\\ude00\\ud83d😀\\n\\"\\\\\\/\\b\\f\\r\\t"',
    "123456789012345678901234567890.5",
    "-0",
    "null",
    '""',
  ];
  for (const text of examples) {
    test(text.slice(0, 40), () => {
      for (const pieces of splits(text)) {
        const parser = parse(pieces);
        expect(parser.isInvalid).toBe(false);
        deepStrictEqual(parser.value, JSON.parse(text));
        expect(Object.keys(Object(parser.value))).toEqual(Object.keys(Object(JSON.parse(text))));
      }
    });
  }

  test("for any text and any split", () => {
    fc.assert(
      fc.property(jsonText, cuts, (text, at) => {
        const parser = parse(cut(text, at));
        expect(parser.isInvalid).toBe(false);
        deepStrictEqual(parser.value, JSON.parse(text));
        expect(JSON.stringify(parser.value)).toBe(JSON.stringify(JSON.parse(text)));
      }),
      { numRuns: 1000 },
    );
  });

  test("invalid text is rejected whenever JSON.parse rejects it, for any split", () => {
    let refused = 0;
    fc.assert(
      fc.property(anything, cuts, (text, at) => {
        const expected = oracle(text);
        const parser = parse(cut(text, at));
        expect(parser.isInvalid).toBe(!expected);
        if (expected) deepStrictEqual(parser.value, expected.value);
        else refused++;
      }),
      { numRuns: 3000 },
    );
    expect(refused).toBeGreaterThan(500);
  });
});

test("a key is read correctly, whatever came before it", () => {
  for (const [text, name] of [
    ['{"q":1,"\\\\":2}', "\\"],
    ['{"q":1,"\\n":2}', "\n"],
    ['{"q":1,"\\u005C":2}', "\\"],
  ] as const) {
    for (const pieces of splits(text)) expect(parse(pieces).value).toEqual({ q: 1, [name]: 2 });
  }
});

test("every character is accepted where JSON.parse accepts it", () => {
  for (let code = 0; code < 0x10000; code += code < 0x300 ? 1 : 251) {
    const character = String.fromCharCode(code);
    for (const text of [
      `"${character}"`,
      `"\\${character}"`,
      `"\\u00${character}0"`,
      `${character}1`,
      `[1${character}]`,
    ]) {
      expect(parse(text).isInvalid, JSON.stringify(text)).toBe(!oracle(text));
    }
  }
});

describe("while it streams", () => {
  test("the value is a prefix of the final one, complete values are final, and containers keep their identity", () => {
    fc.assert(
      fc.property(texts(false), cuts, (text, at) => {
        const whole = JSON.parse(text) as unknown;
        const parser = createJsonParser();
        const complete: JsonPath[] = [];
        const containers = new Map<string, unknown>();
        for (const piece of cut(text, at)) {
          parser.push(piece);
          if (parser.value === undefined) continue;
          expect(isPrefix(parser.value, whole)).toBe(true);
          for (const path of complete) expect(parser.complete(path)).toBe(true);
          for (const { path, value } of places(parser.value)) {
            if (parser.complete(path)) {
              complete.push(path);
              deepStrictEqual(value, valueAt(whole, path));
            }
            if (typeof value !== "object" || value === null) continue;
            const name = JSON.stringify(path);
            expect(containers.get(name) ?? value).toBe(value);
            containers.set(name, value);
          }
        }
        parser.end();
        for (const { path } of places(whole)) expect(parser.complete(path)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  test("every piece appears immediately, and fields complete one by one", () => {
    const parser = createJsonParser();
    expect(parser.value).toBeUndefined();
    expect(parser.complete()).toBe(false);
    parser.push('{"pa');
    const root = parser.value;
    expect(root).toEqual({});
    parser.push('th":"/tmp/\\');
    expect(root).toEqual({ path: "/tmp/" });
    expect(parser.complete(["path"])).toBe(false);
    parser.push('u00e9","lines":[1,2');
    expect(root).toEqual({ path: "/tmp/é", lines: [1] });
    expect([["path"], ["lines"], ["lines", 0], ["lines", 1]].map((path) => parser.complete(path))).toEqual([
      true,
      false,
      true,
      false,
    ]);
    parser.push("5],");
    expect(root).toEqual({ path: "/tmp/é", lines: [1, 25] });
    expect(
      [["lines"], ["lines", 1], ["lines", 2], ["lines", "length"], ["path", "length"], []].map((path) =>
        parser.complete(path),
      ),
    ).toEqual([true, true, false, false, false, false]);
    parser.push('"end":tru');
    expect(root).not.toHaveProperty("end");
    parser.push("e}");
    expect(parser.complete()).toBe(true);
    parser.end();
    expect(parser.value).toBe(root);
    expect(root).toEqual({ path: "/tmp/é", lines: [1, 25], end: true });
  });

  test("half a surrogate pair waits for the other half, a lone one for what follows", () => {
    for (const [first, second] of [
      ['["a\ud83d', '\ude00"'],
      ['["a\\ud83d', '\\ude00"'],
      ['["a\\ud83d\\ude', '00"'],
    ] as const) {
      const parser = createJsonParser();
      parser.push(first);
      parser.push("");
      expect(parser.value).toEqual(["a"]);
      parser.push(second);
      expect(parser.value).toEqual(["a😀"]);
    }
    expect(parse(['"\\ud83d', 'x"']).value).toBe("\ud83dx");
    expect(parse(['"\\ud83d', '"']).value).toBe("\ud83d");
  });

  test("a top-level number or word is complete only at the end or when something follows", () => {
    for (const text of ["12", "true", "-0"]) {
      const parser = createJsonParser();
      parser.push(text);
      expect([parser.value, parser.complete()]).toEqual([undefined, false]);
      parser.end();
      expect([parser.value, parser.complete()]).toEqual([JSON.parse(text), true]);
    }
  });

  test("a path has strings for keys and numbers for items", () => {
    const parser = parse(['{"0":[1]}']);
    expect(parser.complete(["0", 0])).toBe(true);
    for (const path of [[0], ["0", "0"], ["0", 0.5], ["0", -1], ["toString"]])
      expect(parser.complete(path)).toBe(false);
  });

  test("a repeated key reopens its field", () => {
    const parser = createJsonParser();
    parser.push('{"a":1,');
    expect(parser.complete(["a"])).toBe(true);
    parser.push('"a":"x');
    expect([parser.value, parser.complete(["a"])]).toEqual([{ a: "x" }, false]);
    parser.push('"');
    expect(parser.complete(["a"])).toBe(true);
  });
});

describe("invalid text", () => {
  for (const text of [
    "",
    "hello",
    '{"a":1,}',
    "{'a'",
    '{"a" 1}',
    "[1,]",
    "[1 2]",
    '{"a":1]',
    "[01, 2]",
    "[nul]",
    "1 2",
    "-",
    '"a\nb"',
    '"\\x"',
    '"\\u12g"',
    '{"a":"b',
    '{"a":[1',
  ]) {
    test(JSON.stringify(text), () => {
      for (const pieces of splits(text)) expect(parse(pieces).isInvalid).toBe(true);
    });
  }

  test("stops the value", () => {
    const parser = createJsonParser();
    for (const piece of ['{"a":"x', '\n"', ' and "more']) parser.push(piece);
    expect(parser.isInvalid).toBe(true);
    parser.end();
    parser.end();
    expect(parser.value).toEqual({ a: "x" });
    expect(() => parser.push("")).toThrow("after end");
  });

  test("too many levels are an error, not a stack overflow", () => {
    const nest = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
    deepStrictEqual(parse([nest(1000)]).value, JSON.parse(nest(1000)));
    expect(parse([nest(1001)]).isInvalid).toBe(true);
    expect(parse(['{"a":'.repeat(1_000_000)]).isInvalid).toBe(true);
  });
});

test("a piece is read once, and a grown string is never read", () => {
  // Instruments every way to read a string: a second read shows as more reads, and a read of a grown string as a long receiver.
  const longest = (pieces: readonly string[]) => {
    let length = 0;
    let reads = 0;
    const methods = Object.getOwnPropertyNames(String.prototype).filter(
      (name) => name !== "constructor" && name !== "length",
    );
    const originals = methods.map((name) => [name, Object.getOwnPropertyDescriptor(String.prototype, name)!] as const);
    const parser = createJsonParser();
    for (const [name, descriptor] of originals) {
      if (typeof descriptor.value !== "function") continue;
      Object.defineProperty(String.prototype, name, {
        ...descriptor,
        value(this: string, ...values: unknown[]) {
          reads++;
          if (this.length > length) length = this.length;
          return Reflect.apply(descriptor.value, this, values);
        },
      });
    }
    try {
      for (const piece of pieces) parser.push(piece);
    } finally {
      for (const [name, descriptor] of originals) Object.defineProperty(String.prototype, name, descriptor);
    }
    return { length, reads, parser };
  };
  const pieces = (count: number) => ['{"text":"', ...Array.from({ length: count }, () => "some \\n text😀"), '"}'];
  const small = longest(pieces(1000));
  const large = longest(pieces(64_000));
  expect(small.length).toBeLessThan(5000);
  expect(large.length).toBe(small.length);
  expect((large.reads - small.reads) / 63_000).toBeCloseTo(small.reads / 1000, 1);
  large.parser.end();
  deepStrictEqual(large.parser.value, JSON.parse(pieces(64_000).join("")));
});
