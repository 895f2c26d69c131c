import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { text } from "node:stream/consumers";
import { createServer, type ServerResponse } from "node:http";
import { describe, expect, onTestFinished, test } from "vitest";
import { outlineOf } from "../scripts/golden/outline.ts";
import { createClient } from "../src/client.ts";
import type { Frame } from "../src/dialect.ts";
import type { Entry, Event } from "../src/events.ts";
import { createFrameReader } from "../src/sse.ts";
import { createState, fold, restoreInto, snapshot } from "../src/state.ts";
import { createVerifier } from "../src/verify.ts";
import { describeWith } from "./components.ts";

const directory = path.join(import.meta.dirname, "../conformance");
const read = <Value>(name: string): Value => JSON.parse(readFileSync(path.join(directory, name), "utf8")) as Value;
const entriesOf = (events: readonly Event[]): Entry[] =>
  events.map((event, index) => ({ seq: index + 1, at: 1000 + index, event }));

interface Answer {
  readonly cursor?: string;
  readonly status: number;
  readonly body: string;
  readonly cut?: boolean;
}
interface FollowCase {
  readonly name: string;
  readonly answers: readonly Answer[];
  readonly outline?: unknown;
  readonly refused?: number | string;
}

const streams = read<{ name: string; body: string; frames: Frame[]; lastEventId: string }[]>("streams.json");
const grammar = read<{ name: string; events: Event[]; wrong: number | null; rule?: number }[]>("grammar.json");
const states = read<{ name: string; events: Event[]; outline: unknown }[]>("states.json");
const stories = Object.entries(read<Record<string, unknown>>("stories.json"));
const follow = read<FollowCase[]>("follow.json");

describe("the frame reader", () => {
  test.each(streams)("$name", ({ body, frames, lastEventId }) => {
    const bytes = new TextEncoder().encode(body);
    for (const size of [1, 2, 3, 5, bytes.length]) {
      const found: Frame[] = [];
      const reader = createFrameReader(({ id, event, data }) =>
        found.push({ ...(id !== undefined && { id }), ...(event && { event }), data }),
      );
      for (let from = 0; from < bytes.length; from += size) reader.push(bytes.subarray(from, from + size));
      expect(found, `${size} bytes at a time`).toEqual(frames);
      expect(reader.lastEventId).toBe(lastEventId);
    }
  });
});

test.each(grammar)("the verifier: $name", ({ events, wrong }) => {
  const verifier = createVerifier();
  const refused = events.findIndex((event) => verifier.check(event) !== undefined);
  expect(refused < 0 ? null : refused + 1).toBe(wrong);
});

test("each broken log names a rule of PROTOCOL.md", () => {
  const protocol = readFileSync(path.join(directory, "../PROTOCOL.md"), "utf8");
  const rules = [
    ...protocol
      .split("## Grammar")[1]!
      .split("\n## ")[0]!
      .matchAll(/^(\d+)\. /gm),
  ].map(([, rule]) => Number(rule));
  const named = grammar.flatMap(({ wrong, rule }) => (wrong === null && rule === undefined ? [] : [rule]));
  expect([...new Set(named)]).toEqual(rules);
});

const folded = (entries: readonly Entry[]) => {
  const state = createState();
  for (const entry of entries) fold(state, entry);
  return state;
};

test.each(states)("the state: $name", ({ events, outline }) => {
  const entries = entriesOf(events);
  expect(outlineOf(folded(entries))).toEqual(outline);
  for (let from = 0; from <= entries.length; from++) {
    const state = restoreInto(createState(), snapshot(folded(entries.slice(0, from))));
    for (const entry of entries) fold(state, entry);
    expect(outlineOf(state), `from a snapshot after ${from}`).toEqual(outline);
  }
});

test.each(stories)("the state of the story %s", (name, outline) => {
  const lines = readFileSync(path.join(directory, `../golden/runs/${name}.jsonl`), "utf8")
    .trimEnd()
    .split("\n");
  expect(outlineOf(folded(lines.map((line) => JSON.parse(line) as Entry)))).toEqual(outline);
});

/** A server that gives these responses in order and records the cursors of the requests. */
const scripted = async (answers: readonly Answer[]) => {
  const cursors: (string | undefined)[] = [];
  const give = (answer: Answer | undefined, response: ServerResponse) => {
    const { status, body, cut } = answer ?? { status: 500, body: "asked too often" };
    response.writeHead(status, { "content-type": status === 200 ? "text/event-stream" : "application/json" });
    if (!cut) return response.end(body);
    response.flushHeaders();
    response.write(body, () => response.destroy());
  };
  const server = createServer((request, response) => {
    cursors.push(request.headers["last-event-id"] as string | undefined);
    give(answers[cursors.length - 1], response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  return { url: `http://127.0.0.1:${port}`, cursors };
};

describe.each(follow)("following: $name", ({ answers, outline, refused }) => {
  const wanted = answers.map(({ cursor }) => cursor);

  test("our client", async () => {
    const { url, cursors } = await scripted(answers);
    const handle = createClient({ url, backoff: () => 1 }).follow("r");
    if (refused !== undefined) await expect(handle.finished).rejects.toThrow();
    else expect(outlineOf(await handle.finished)).toEqual(outline);
    expect(cursors).toEqual(wanted);
  });

  describeWith("python3", "the reader in Python", (python) => {
    test("behaves the same", async () => {
      const { url, cursors } = await scripted(answers);
      const child = spawn(python, [path.join(directory, "reader.py"), `${url}/runs/r`, "--wait", "0"]);
      const [out, status] = await Promise.all([
        text(child.stdout),
        new Promise((resolve) => child.once("exit", resolve)),
        text(child.stderr),
      ]);
      if (refused !== undefined) expect(status).toBe(1);
      else expect(JSON.parse(out)).toEqual(outline);
      expect(cursors).toEqual(wanted);
    });
  });
});

describeWith("python3", "in Python", (python) => {
  // Each stream is read in five sizes of pieces.
  const reads = 5 * streams.length;
  test.each([
    [
      "the reader passes the same cases of streams and states",
      "check_reader.py",
      reads + states.length + stories.length,
    ],
    ["the pipe passes the same cases of streams", "../test/open-webui/check_pipe.py", reads],
  ])("%s", async (_, checker, count) => {
    const child = spawn(python, [path.join(directory, checker)]);
    const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
    expect(out, errors).toBe(`${count} passed, 0 failed\n`);
  });
});
