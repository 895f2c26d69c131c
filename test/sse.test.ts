import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Frame } from "../src/dialect.ts";
import { commentText, createFrameReader, frameText } from "../src/sse.ts";
import type { FrameReaderOptions } from "../src/sse.ts";

interface Read {
  readonly frames: readonly Frame[];
  readonly ids: readonly string[];
  readonly retries: readonly number[];
  readonly lastEventId: string;
}

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

const read = (pieces: Iterable<Uint8Array>, options?: FrameReaderOptions): Read => {
  const frames: Frame[] = [];
  const ids: string[] = [];
  const retries: number[] = [];
  const reader = createFrameReader(
    (frame) => {
      frames.push(JSON.parse(JSON.stringify(frame)) as Frame);
      ids.push(reader.lastEventId);
    },
    { onRetry: (milliseconds) => retries.push(milliseconds), ...options },
  );
  for (const piece of pieces) reader.push(piece);
  reader.end();
  return { frames, ids, retries, lastEventId: reader.lastEventId };
};

/** Whole, byte by byte, and split in two at every byte. */
const splits = function* (bytes: Uint8Array): Generator<Uint8Array[]> {
  yield [bytes];
  yield Array.from(bytes, (_, index) => bytes.subarray(index, index + 1));
  for (let at = 0; at <= bytes.length; at++) yield [bytes.subarray(0, at), bytes.subarray(at)];
};

const cut = (bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] => {
  const places = cuts.map((place) => place % (bytes.length + 1)).toSorted((a, b) => a - b);
  return [...places, bytes.length].map((place, index) => bytes.subarray(places[index - 1] ?? 0, place));
};
const cuts = fc.array(fc.nat(), { maxLength: 12 });

/** The standard's algorithm for a whole stream, written literally and without regard for speed. */
const standard = (stream: string): Read => {
  const frames: Frame[] = [];
  const ids: string[] = [];
  const retries: number[] = [];
  let [data, event, buffer, lastEventId] = ["", "", "", ""];
  let id: string | undefined;
  for (const line of stream
    .replace(/^\ufeff/, "")
    .split(/\r\n|\r|\n/)
    .slice(0, -1)) {
    if (line === "") {
      lastEventId = buffer;
      if (data !== "") {
        frames.push({ ...(id !== undefined && { id }), ...(event !== "" && { event }), data: data.slice(0, -1) });
        ids.push(lastEventId);
      }
      [data, event, id] = ["", "", undefined];
      continue;
    }
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "event") event = value;
    if (field === "data") data += `${value}\n`;
    if (field === "id" && !value.includes("\0")) id = buffer = value;
    if (field === "retry" && /^[0-9]+$/.test(value)) retries.push(Math.min(Number(value), 2 ** 31 - 1));
  }
  return { frames, ids, retries, lastEventId };
};

describe("the format cases of the web platform tests", () => {
  const long = "x".repeat(2049);
  const bytes = (...parts: (string | number)[]) =>
    Uint8Array.from(parts.flatMap((part) => (typeof part === "number" ? [part] : [...encode(part)])));
  const cases: Record<string, { stream: string | Uint8Array } & Partial<Read>> = {
    "a BOM at the start is removed, one within is not": {
      stream: "\ufeffdata:1\n\n\ufeffdata:2\n\ndata:3\n\n",
      frames: [{ data: "1" }, { data: "3" }],
    },
    "of two BOMs, one is removed": {
      stream: "\ufeff\ufeffdata:1\n\ndata:2\n\ndata:3\n\n",
      frames: [{ data: "2" }, { data: "3" }],
    },
    "the Latin-1 characters of a BOM's bytes are not a BOM": {
      stream: "ï»¿data:1\n\ndata:2\n\n",
      frames: [{ data: "2" }],
    },
    "half a BOM is an invalid character": {
      stream: bytes(0xef, 0xbb, "data:1\n\ndata:2\n\n"),
      frames: [{ data: "2" }],
    },
    "LF ends lines": { stream: "data:1\ndata:2\n\n", frames: [{ data: "1\n2" }] },
    "CR ends lines": { stream: "data:1\rdata:2\r\r", frames: [{ data: "1\n2" }] },
    "CRLF ends lines": { stream: "data:1\r\ndata:2\r\n\r\n", frames: [{ data: "1\n2" }] },
    "all three may be mixed": { stream: "data:test\r\ndata\ndata:test\r\n\r", frames: [{ data: "test\n\ntest" }] },
    "LF and CR are two line ends": { stream: "data:1\n\rdata:2\n\r", frames: [{ data: "1" }, { data: "2" }] },
    "empty lines without a field are ignored": { stream: "\n\r\n\r\r\ndata:1\n\n\n\n", frames: [{ data: "1" }] },
    "comments are skipped, even long ones": {
      stream: `data:1\r:\0\n:\r\ndata:2\n:${long}\rdata:3\n:data:fail\r:${long}\ndata:4\n\n`,
      frames: [{ data: "1\n2\n3\n4" }],
    },
    "field names are literal": {
      stream:
        "data:\0\ndata:  2\rData:1\ndata\0:2\ndata:1\r\0data:4\nda-ta:3\rdata_5\ndata:3\rdata:\r\n data:32\ndata:4\n\n",
      frames: [{ data: "\0\n 2\n1\n3\n\n4" }],
    },
    "one leading space is removed, a tab is not": {
      stream: "data:\ttest\rdata: \ndata:test\n\n",
      frames: [{ data: "\ttest\n\ntest" }],
    },
    "unknown fields are skipped": {
      stream: "data:test\n data\ndata\nfoobar:xxx\njustsometext\n:thisisacomment\ndata:test\n\n",
      frames: [{ data: "test\n\ntest" }],
    },
    "a field without a colon has an empty value": {
      stream: "data:\n\ndata\ndata\n\ndata:test\n\n",
      frames: [{ data: "" }, { data: "\n" }, { data: "test" }],
    },
    "only the first colon separates": { stream: "data:a:b: c\n\n", frames: [{ data: "a:b: c" }] },
    "NUL in data is data": { stream: "data:\0\n\n\n\n", frames: [{ data: "\0" }] },
    "an event name applies to one frame": {
      stream: "event:test\ndata:x\n\ndata:x\n\n",
      frames: [{ event: "test", data: "x" }, { data: "x" }],
    },
    "an empty event name means none": {
      stream: "event: \ndata:x\n\nevent\ndata:y\n\nevent:a\nevent:\ndata:z\n\n",
      frames: [{ data: "x" }, { data: "y" }, { data: "z" }],
    },
    "an event name without data is dropped": { stream: "event:a\n\ndata:x\n\n", frames: [{ data: "x" }] },
    "an id stays until the next one": {
      stream: "id:1\ndata:x\n\ndata:y\n\nid: 2\ndata:z\n\n",
      frames: [{ id: "1", data: "x" }, { data: "y" }, { id: "2", data: "z" }],
      ids: ["1", "1", "2"],
      lastEventId: "2",
    },
    "an id without data counts": { stream: "id:1\n\ndata:x\n\n", frames: [{ data: "x" }], ids: ["1"] },
    "an empty id clears the last one": {
      stream: "id:1\ndata:x\n\nid\ndata:y\n\nid:3\n\nid:\n\n",
      frames: [
        { id: "1", data: "x" },
        { id: "", data: "y" },
      ],
      ids: ["1", ""],
      lastEventId: "",
    },
    "an id with NUL is skipped": {
      stream: "id:1\ndata:x\n\nid:a\0b\ndata:y\n\nid:\0\ndata:z\n\n",
      frames: [{ id: "1", data: "x" }, { data: "y" }, { data: "z" }],
      ids: ["1", "1", "1"],
    },
    "an id may contain any other character": { stream: "id: …😀 \ndata:x\n\n", frames: [{ id: "…😀 ", data: "x" }] },
    "retry is digits": { stream: "retry:3000\n\ndata:x\n\n", frames: [{ data: "x" }], retries: [3000] },
    "retry takes effect immediately": { stream: "retry: 03000\ndata:x", frames: [], retries: [3000] },
    "an invalid retry is skipped": {
      stream: "retry:3000\nretry:1000x\nretry:-1\nretry:1.5\nretry: \u0663\nretry:  1\ndata:x\n\n",
      frames: [{ data: "x" }],
      retries: [3000],
    },
    "an empty retry is skipped": { stream: "retry\nretry:\ndata:x\n\n", frames: [{ data: "x" }], retries: [] },
    "a huge retry is capped at the longest timer": { stream: `retry:${"9".repeat(400)}\n`, retries: [2 ** 31 - 1] },
    "a frame that the end of the stream cuts is discarded": {
      stream: "retry:1000\ndata:test1\n\nid:test\ndata:test2",
      frames: [{ data: "test1" }],
      retries: [1000],
      lastEventId: "",
    },
    "even if only the empty line is missing": {
      stream: "data:1\n\nid:2\ndata:2\n",
      frames: [{ data: "1" }],
      lastEventId: "",
    },
    "text is UTF-8": { stream: "data:ok…é😀\n\n", frames: [{ data: "ok…é😀" }] },
    "invalid UTF-8 becomes U+FFFD": {
      stream: bytes("data:", 0xff, "a", 0xc3, "b", 0xf0, 0x9f, 0x98, "\ndata:", 0xed, 0xa0, 0x80, 0xc0, 0xaf, "\n\n"),
      frames: [{ data: "\ufffda\ufffdb\ufffd\n\ufffd\ufffd\ufffd\ufffd\ufffd" }],
    },
    "a character that the end of the stream cuts is discarded": {
      stream: bytes("data:1\n\ndata:", 0xf0, 0x9f),
      frames: [{ data: "1" }],
    },
  };
  for (const [name, { stream, ...expected }] of Object.entries(cases)) {
    test(name, () => {
      const all = typeof stream === "string" ? encode(stream) : stream;
      for (const pieces of splits(all)) expect(read(pieces)).toMatchObject(expected);
      expect(read([all])).toEqual(standard(new TextDecoder("utf-8", { ignoreBOM: true }).decode(all)));
    });
  }
});

test("any stream at any split is read as the standard specifies", () => {
  const words = "data|id|event|retry|:|:|: | |\n|\n|\r|\r\n|\n\n|\0|x|10|é|😀|\ufeff|ï»¿".split("|");
  const token = fc.constantFrom(...words);
  fc.assert(
    fc.property(fc.array(token, { maxLength: 40 }), cuts, (tokens, at) => {
      const stream = tokens.join("");
      expect(read(cut(encode(stream), at))).toEqual(standard(stream));
    }),
    { numRuns: 3000 },
  );
});

describe("writing", () => {
  test("a frame", () => {
    expect(frameText({ data: "{}" })).toBe("data: {}\n\n");
    expect(frameText({ id: "7.1", event: "text-delta", data: "{}" })).toBe("id: 7.1\nevent: text-delta\ndata: {}\n\n");
    expect(frameText({ id: "", event: "", data: "" })).toBe("id: \ndata: \n\n");
    expect(frameText({ data: "a\nb\r\nc\rd\n" })).toBe("data: a\ndata: b\ndata: c\ndata: d\ndata: \n\n");
  });

  test("rejects a frame that could not be read back", () => {
    for (const id of ["a\nb", "a\r", "\0"]) expect(() => frameText({ id, data: "" })).toThrow("cannot have the id");
    for (const event of ["a\nb", "a\rdata: x"])
      expect(() => frameText({ event, data: "" })).toThrow("cannot have the event");
  });

  test("a comment is not a frame", () => {
    expect(commentText("still\nhere")).toBe(": still\n: here\n\n");
    expect(read([encode(commentText("a\r\ndata: b") + frameText({ data: "c" }))]).frames).toEqual([{ data: "c" }]);
  });

  test("a written frame is read back, at any byte split", () => {
    const text = fc.string({ unit: "grapheme" });
    const line = text.filter((value) => !/[\r\n\0]/.test(value));
    const data = fc.oneof(
      text,
      fc.array(fc.oneof(text, fc.constantFrom("\n", "\r", "\r\n", " ", ":"))).map((parts) => parts.join("")),
    );
    const frame = fc.record(
      { id: line, event: line.filter((value) => value !== ""), data },
      { requiredKeys: ["data"] },
    );
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 6 }), cuts, (frames, at) => {
        const stream = encode(frames.map((one) => frameText(one)).join(commentText("")));
        const expected = frames.map((one) => ({ ...one, data: one.data.replace(/\r\n|\r/g, "\n") }));
        expect(read(cut(stream, at)).frames).toEqual(expected);
      }),
      { numRuns: 1000 },
    );
  });
});

describe("a reader", () => {
  test("starts from the last id of the previous stream", () => {
    expect(read([encode("data:x\n\n")], { lastEventId: "5" })).toMatchObject({ ids: ["5"], lastEventId: "5" });
  });

  test("accepts a frame within maxFrameBytes at any split, and rejects a larger one", () => {
    const within = encode(frameText({ id: "1", event: "e", data: "é\n3" }));
    const options = { maxFrameBytes: within.length };
    for (const pieces of splits(within)) expect(read(pieces, options).frames).toHaveLength(1);
    for (const large of [`data:${"x".repeat(within.length + 1)}\n\n`, "data:xxxx\n".repeat(8) + "\n"]) {
      for (const pieces of splits(encode(large)))
        expect(() => read(pieces, options)).toThrow(`maxFrameBytes (${within.length})`);
    }
  });

  test("buffers at most maxFrameBytes of an endless frame, and nothing of a comment", () => {
    for (const line of ["data: x", "id: x", "event: x", "retry: 1"]) {
      const reader = createFrameReader(() => {}, { maxFrameBytes: 1000 });
      const push = () => reader.push(encode("x".repeat(100)));
      reader.push(encode(line));
      expect(() => Array.from({ length: 10 }, push)).toThrow("maxFrameBytes (1000)");
      expect(push).toThrow("maxFrameBytes (1000)");
    }
    expect(read([encode(`:${"x".repeat(5000)}`), encode("\ndata:1\n\n")], { maxFrameBytes: 1000 }).frames).toEqual([
      { data: "1" },
    ]);
  });

  test("a reader that is ended by its listener does not call it again", () => {
    const seen: string[] = [];
    const reader = createFrameReader((frame) => {
      seen.push(frame.data);
      reader.end();
    });
    reader.push(encode("id:1\ndata:1\n\nid:2\ndata:2\n\ndata:3"));
    expect([seen, reader.lastEventId]).toEqual([["1"], "1"]);
  });

  test("accepts nothing after its end or after its listener threw", () => {
    const ended = createFrameReader(() => {});
    ended.end();
    ended.end();
    expect(() => ended.push(encode("data"))).toThrow("after end");
    const broken = createFrameReader(() => {
      throw new Error("mine");
    });
    expect(() => broken.push(encode("data:1\n\n"))).toThrow("mine");
    expect(() => broken.push(encode("data:2\n\n"))).toThrow("mine");
  });
});
