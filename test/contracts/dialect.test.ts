import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { dialects as configured } from "../../src/config/dialects.ts";
import { type Command, type Dialect, type Frame, parseCursor } from "../../src/dialect.ts";
import { type Entry, EVENT_TYPES, type Event, type Message } from "../../src/events.ts";
import { createRouter } from "../../src/server/router.ts";
import { createWindow } from "../../src/server/window.ts";
import { frameText } from "../../src/sse.ts";
import { arbitraryLog } from "../generate.ts";
import { play } from "../running.ts";
import { dialects, goldenRuns } from "./dialect-variants.ts";

/** Dialects whose format requires repeating text, and why. Their growth is printed. */
const CUMULATIVE: Readonly<Record<string, string>> = {
  forge: "each of its token frames repeats the text so far",
};

const link = () => "https://example.org/file";
const logs = arbitraryLog();
const encoded = (dialect: Dialect, entries: readonly Entry[], extensions: boolean): Frame[][] => {
  const encode = dialect.encode({ extensions, link });
  return entries.map((entry) => [...encode(entry)]);
};
const plain = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value)) as Value;

describe.each(dialects.map((dialect) => [dialect.name, dialect] as const))("%s", (name, dialect) => {
  const everyLog = (check: (entries: readonly Entry[]) => void, numRuns = 60): void => {
    for (const { entries } of goldenRuns) check(entries);
    fc.assert(fc.property(logs, check), { numRuns });
  };

  test("is one of the server's dialects", () => {
    expect(configured).toContain(dialect);
  });

  test("with extensions, decoding returns the log", () => {
    everyLog((entries) => {
      const decode = dialect.decode();
      const decoded = encoded(dialect, entries, true).flatMap((frames) =>
        frames.flatMap((frame) => [...decode(frame)]),
      );
      expect(plain(decoded)).toEqual(entries.map(({ event }) => event));
    });
  });

  test("carries every field of the events that it declares as full", () => {
    everyLog((entries) => {
      const decode = dialect.decode();
      for (const [index, frames] of encoded(dialect, entries, false).entries()) {
        const decoded = plain(frames.flatMap((frame) => [...decode(frame)]));
        const { event } = entries[index]!;
        if (dialect.coverage[event.type] === "full" && !decoded.some((one) => isDeepStrictEqual(one, event)))
          expect(decoded, `entry ${index + 1}`).toContainEqual(event);
      }
    });
  });

  test("declares for every event whether it is full or extended, or why it is lost", () => {
    expect(Object.keys(dialect.coverage).toSorted()).toEqual([...EVENT_TYPES].toSorted());
    for (const covered of Object.values(dialect.coverage))
      if (typeof covered === "object") expect(covered.loses.length).toBeGreaterThan(10);
  });

  test("if its clients cannot answer, it names a URL where users can, which works from anywhere", () => {
    if (dialect.asks !== "link") return;
    const page = (access: string) => `https://example.org/runcast/?run=r&for=${access}`;
    const encode = dialect.encode({ link, page });
    const asked: Event[] = [
      { type: "run-start", protocol: 2, run: "r", name: "test" },
      { type: "ask-start", ask: "ask_1", kind: "confirmation", title: "Go on?" },
    ];
    const frames = asked.flatMap((event, index) => [...encode({ seq: index + 1, at: 1, event })]);
    const text = frames.map(({ data }) => data).join("\n");
    expect(text).toContain(page("answer"));
    expect(text).not.toMatch(/[^/]\/\?run=(?!r&for)/);
  });

  test("an event of a later version does not affect the events after it", () => {
    const later = { type: "hologram", beam: 1 } as unknown as Event;
    for (const { entries } of goldenRuns) {
      const [first, ...rest] = entries;
      const withLater = [first!, { ...first!, event: later }, ...rest];
      const [opening, skipped, ...others] = encoded(dialect, withLater, false);
      expect(skipped!.length).toBeLessThanOrEqual(1);
      expect([opening, ...others]).toEqual(encoded(dialect, entries, false));
    }
  });

  test("an agent that is known only by its output can be run", async () => {
    for (const { entries } of goldenRuns) {
      const decode = dialect.decode();
      const events = encoded(dialect, entries, false).flatMap((frames) =>
        frames.flatMap((frame) => [...decode(frame)]),
      );
      const { events: written } = await play(async function* () {
        yield* plain(events);
      });
      const end = written.at(-1);
      expect(end?.type === "run-end" && end.error?.code).not.toBe("invalid-event");
    }
  });

  test("is pure: the same entries produce the same frames in any encoder", () => {
    everyLog((entries) => {
      for (const extensions of [true, false]) {
        const first = dialect.encode({ extensions, link });
        const second = dialect.encode({ extensions, link });
        for (const entry of entries) {
          const before = JSON.stringify(entry);
          expect(second(entry)).toEqual(first(entry));
          expect(JSON.stringify(entry)).toBe(before);
        }
      }
    }, 20);
  });

  test("frames have one line of data, and their ids are cursors that never decrease", () => {
    everyLog((entries) => {
      let last = { seq: 0, frame: 0 };
      for (const [index, frames] of encoded(dialect, entries, true).entries()) {
        for (const { id, event, data } of frames) {
          expect(`${data}${event ?? ""}`).not.toMatch(/[\r\n]/);
          if (id === undefined) continue;
          const cursor = parseCursor(id)!;
          expect(cursor.seq).toBeLessThanOrEqual(entries[index]!.seq);
          expect(cursor.seq > last.seq || (cursor.seq === last.seq && cursor.frame > last.frame)).toBe(true);
          last = cursor;
        }
      }
    }, 20);
  });

  test("if it produces text directly, the text equals that of its frames", () => {
    if (!dialect.encodeText) return;
    everyLog((entries) => {
      const encoder = dialect.encodeText!({ link });
      const text = entries.map((entry) => encoder(entry)).join("");
      expect(text).toBe(encoded(dialect, entries, false).flat().map(frameText).join(""));
    }, 20);
  });

  test("heartbeats are not events and cannot be resumed from", () => {
    const decode = dialect.decode();
    for (const waiting of ["model", "tool", "you", "retry", "storage", "agent"] as const) {
      for (const frame of dialect.heartbeat.frames({ waiting, since: 1 })) {
        expect(frame.id).toBeUndefined();
        expect(decode(frame)).toEqual([]);
      }
    }
  });

  test("a refusal is JSON with the status and the message", () => {
    const { status, body } = dialect.refuse({ status: 429, code: "slow", message: 'too "many"\n', hint: "wait" });
    expect(status).toBe(429);
    expect(JSON.stringify(JSON.parse(body))).toContain("many");
  });

  test("the bytes on the wire grow linearly with the output", { timeout: 120_000 }, () => {
    const reason = CUMULATIVE[name];
    const sizes = reason ? [1000, 4000, 16_000] : [1000, 4000, 16_000, 64_000];
    const bytes = sizes.map((tokens) => bytesOf(dialect, tokens));
    const slope = Math.log(bytes.at(-1)! / bytes[1]!) / Math.log(sizes.at(-1)! / sizes[1]!);
    if (reason)
      console.log(
        `${name}: ${sizes.map((size, index) => `${size} tokens ${bytes[index]} bytes`).join(", ")} (${reason})`,
      );
    else expect(slope).toBeLessThanOrEqual(1.05);
  });

  describe("requests", () => {
    const user = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] });
    const through = (command: Command): Command => readBack(dialect, command);
    const can = (does: Command["do"]) => dialect.routes.some((route) => route.does === does);

    test("a written start is read as the same start", () => {
      const conversation = [user('Hello\n"you"'), { ...user("Hi!"), role: "assistant" as const }, user("And now? é🙂")];
      for (const messages of [[user("Hello")], conversation]) {
        const command = through({ do: "start", request: { messages }, extensions: true });
        expect(command).toMatchObject({ do: "start", request: { messages }, extensions: true });
        expect(through(command)).toEqual(command);
      }
    });

    test("everything that it can write of a request, it can read back", () => {
      const rich: Command = {
        do: "start",
        extensions: true,
        request: {
          run: "chosen",
          thread: "thread_1",
          messages: [user("Hello")],
          system: "be kind",
          model: "a/model",
          tools: [{ name: "show_map", description: "shows a map", schema: { type: "object", properties: {} } }],
          servers: [{ name: "weather", url: "https://weather.example/mcp", enabled: true }],
          user: { id: "user_1", name: "Ann" },
          metadata: { from: "test" },
          settings: { temperature: 0.5 },
          secrets: { OPENAI_API_KEY: "secret" },
        },
      };
      const once = through(rich);
      // Some send `system` as the first message.
      expect(once.do === "start" && once.request.messages.at(-1)).toEqual(rich.request.messages.at(-1));
      expect(through(once)).toEqual(once);
    });

    test("no secret is written outside a header", () => {
      const secrets = { OPENAI_API_KEY: "s3cret-value" };
      const { path, body } = dialect.write({ do: "start", request: { messages: [user("Hello")], secrets } });
      expect(`${path}${body}`).not.toContain("s3cret-value");
    });

    if (can("follow"))
      test("follow", () => {
        const command = through({
          do: "follow",
          run: "run_1",
          after: { seq: 3, frame: 0 },
          skipFrames: 5,
          extensions: true,
        });
        expect(command).toMatchObject({ do: "follow", run: "run_1", extensions: true });
        expect(through(command)).toEqual(command);
      });

    if (can("cancel"))
      test("cancel", () => {
        expect(through({ do: "cancel", run: "run_1" })).toMatchObject({ do: "cancel", run: "run_1" });
      });

    if (can("answer"))
      test("answer", () => {
        const command: Command = { do: "answer", run: "run_1", ask: "ask 1/2", answer: { allow: true, reason: "é" } };
        expect(through(command)).toEqual(command);
      });
  });
});

/** Reads the request that the dialect writes as the server does. */
const readBack = (dialect: Dialect, command: Command): Command => {
  const { method, path, headers, body } = dialect.write(command);
  const url = new URL(path, "http://127.0.0.1");
  const sent = new Headers(headers);
  const match = createRouter([dialect]).match(method, url.pathname, sent);
  if (!match) throw new Error(`${dialect.name} has no route for ${method} ${path}`);
  expect(match.route.does).toBe(command.do);
  const request = { params: match.params, query: url.searchParams, headers: sent };
  return plain(dialect.read(match.route, { ...request, body: body === undefined ? undefined : JSON.parse(body) }));
};

/** The bytes of an answer with this many tokens, at fifty per second, merged and sent as the server does. */
const bytesOf = (dialect: Dialect, tokens: number): number => {
  const events: Event[] = [
    { type: "run-start", protocol: 1, run: "run_1", name: "test" },
    { type: "step-start", step: "step_1" },
    { type: "text-start", part: "part_1" },
    ...Array.from({ length: tokens }, () => ({ type: "text-delta", part: "part_1", delta: "word " }) as const),
    { type: "text-end", part: "part_1" },
    { type: "step-end", step: "step_1", finish: "stop" },
    { type: "run-end", outcome: "done", answer: ["part_1"] },
  ];
  const entries = events.map((event, index): Entry => ({ seq: index + 1, at: 1_700_000_000_000 + index * 20, event }));
  const encode = dialect.encode({ link });
  const read = (after: number, limit: number) => entries.slice(after, after + limit);
  const window = createWindow(read, dialect.windowMs ?? 1);
  let bytes = 0;
  for (let after = 0; after < entries.length;) {
    for (const entry of window.read(after, 256, 0, { releasedTo: 0, onHeld: () => {} }) as readonly Entry[]) {
      after = entry.seq;
      for (const frame of encode(entry)) bytes += Buffer.byteLength(frameText(frame));
    }
  }
  return bytes;
};
