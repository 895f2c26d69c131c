import { expect, test } from "vitest";
import type { Aside, Format } from "../src/models/provider/format.ts";
import { readAnswer } from "../src/models/provider/read-answer.ts";

const MB = 1024 * 1024;

/** What a library reads of a response with these pieces, and why it failed. */
const read = async (pieces: Iterable<string>) => {
  const ignore = () => {};
  const format: Format = { read: (value) => [value], isEnd: () => false };
  const aside: Aside = { part: ignore, alive: ignore, received: ignore, skipped: ignore };
  const iterator = pieces[Symbol.iterator]();
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const { done, value } = iterator.next();
      if (done) controller.close();
      else controller.enqueue(new TextEncoder().encode(value));
    },
  });
  const response = await readAnswer(new Response(body), format, aside, undefined);
  const text = await response.text().catch(() => undefined);
  return { text, failure: aside.failure };
};

test("a stream may begin with a large frame, such as a picture", async () => {
  const frame = `data: {"image":"${"A".repeat(6 * MB)}"}\n\n`;
  const pieces = Array.from({ length: 7 }, (_, index) => frame.slice(index * MB, (index + 1) * MB));
  const { text, failure } = await read(["\n", ...pieces]);
  expect([text?.length, failure]).toEqual([frame.length, undefined]);
});

test.each(["event: ping\n", '{"a":1}\n', "<p>"])(
  "a body that never becomes a stream is not read to its end: %j",
  async (piece) => {
    const pieces = function* () {
      for (;;) yield piece.repeat(100_000);
    };
    const { text, failure } = await read(pieces());
    expect([text, failure]).toEqual([undefined, expect.any(Error)]);
  },
);
