import { describe, expect, test } from "vitest";
import { type Command, parseCursor } from "../src/dialect.ts";
import { native } from "../src/dialects/native.ts";
import { type Entry, EVENT_TYPES, type Event, eventSchema } from "../src/events.ts";
import { Refusal } from "../src/source.ts";
import { frameText } from "../src/sse.ts";

const error = { code: "x", message: "it broke", retryable: true };
const awkward = 'line\nbreak "quoted" \\ \u2028 \u0000 héllo 🎉 </script>';

/** At least one of every kind, with and without optional fields. */
const EVENTS: readonly Event[] = [
  {
    type: "run-start",
    protocol: 2,
    run: "r",
    name: "a",
    message: { role: "user", content: [{ type: "text", text: awkward }] },
  },
  { type: "run-resume", owner: "server-2", reason: "expired", after: 1 },
  { type: "agent-start", agent: "g", parent: "f", call: "c", name: "sub", task: "look" },
  { type: "agent-end", agent: "g", outcome: "error", error, usage: { input: 1, output: 2 } },
  { type: "step-start", step: "s", model: "m" },
  { type: "step-retry", step: "s", attempt: 1, wait: 100, error },
  { type: "step-end", step: "s", finish: "stop", usage: { input: 3 } },
  { type: "text-start", part: "p", call: "c" },
  { type: "text-delta", part: "p", delta: awkward },
  { type: "text-delta", part: 'p"2', delta: "x", agent: 'g"' },
  { type: "text-delta", part: "p", delta: "x", meta: { signature: "abc" } },
  { type: "text-delta", part: "p", delta: "" },
  { type: "text-end", part: "p", cut: true },
  { type: "thinking-start", part: "t", redacted: true },
  { type: "thinking-delta", part: "t", delta: awkward },
  { type: "thinking-delta", part: "t", delta: "x", agent: "g", meta: [1] },
  { type: "thinking-end", part: "t" },
  { type: "tool-start", call: "c", name: "n", provider: true },
  { type: "tool-input-delta", call: "c", delta: '{"a":' },
  { type: "tool-input-delta", call: "c", delta: "1}", agent: "g" },
  { type: "tool-input-end", call: "c", input: { a: [1, null, "x"] } },
  { type: "tool-execute", call: "c" },
  { type: "tool-progress", call: "c", fraction: 0.5, note: awkward },
  { type: "tool-output-delta", call: "c", stream: "stdout", delta: awkward },
  { type: "tool-output-delta", call: "c", stream: "stderr", delta: "x", agent: "g" },
  { type: "tool-output-delta", call: "c", stream: "stderr", delta: "x", meta: 1 },
  { type: "tool-end", call: "c", outcome: "ok", content: [{ type: "text", text: awkward }], ms: 12.5 },
  { type: "ask-start", ask: "k", kind: "approval", call: "c", value: { a: 1 }, allows: ["edit"] },
  { type: "ask-end", ask: "k", outcome: "answered", answer: { allow: true } },
  { type: "ask-start", ask: "l", kind: "approval", call: "c", options: [{ id: "o", label: awkward, allow: true }] },
  { type: "ask-end", ask: "l", outcome: "answered", answer: { allow: true, option: "o" } },
  { type: "status", text: awkward },
  { type: "citation", citation: "i", url: "https://example.com", range: [0, 4], part: "p" },
  { type: "file", name: "f.txt", file: "x", change: "created" },
  { type: "embed", embed: "e", html: "<b>x</b>" },
  { type: "notice", level: "warning", text: "careful" },
  { type: "data", name: "title", value: "t" },
  { type: "run-end", outcome: "done", answer: ["p"], usage: { output: 1 } },
];
const LOG: readonly Entry[] = EVENTS.map((event, index) => ({ seq: index + 1, at: 1_700_000_000_000 + index, event }));
const link = () => "";

const read = (
  does: Command["do"],
  request: { body?: unknown; headers?: Record<string, string>; query?: string; params?: Record<string, string> },
) => {
  const route = native.routes.find((each) => each.does === does)!;
  const { body, headers = {}, query = "", params = {} } = request;
  return native.read(route, { params, query: new URLSearchParams(query), headers: new Headers(headers), body });
};
const refused = (act: () => unknown): Refusal => {
  try {
    act();
  } catch (thrown) {
    if (thrown instanceof Refusal) return thrown;
    throw thrown;
  }
  throw new Error("was not refused");
};

describe("frames", () => {
  test("the log above has every kind of event, each valid for the schema", () => {
    expect(new Set(EVENTS.map(({ type }) => type))).toEqual(new Set(EVENT_TYPES));
    for (const event of EVENTS) expect(eventSchema.parse(event)).toEqual(event);
  });

  test.each(LOG.map((entry) => [entry.event.type, entry] as const))(
    "%s is encoded like the general form",
    (_, entry) => {
      const [frame, ...more] = native.encode({ link })(entry);
      expect(more).toEqual([]);
      expect(frame?.id).toBe(`${entry.seq}`);
      expect(frame?.event).toBe(entry.event.type);
      expect(JSON.parse(frame!.data)).toEqual({ ...entry.event, at: entry.at });
      expect(frame!.data.length).toBe(JSON.stringify({ ...entry.event, at: entry.at }).length);
      expect(frame!.data).not.toMatch(/[\r\n]/);
    },
  );

  test("decode is the inverse of encode", () => {
    const encode = native.encode({ link });
    const decode = native.decode();
    expect(LOG.flatMap((entry) => encode(entry).flatMap((frame) => decode(frame)))).toEqual(EVENTS);
  });

  test("the text of the frames equals that of sse.ts", () => {
    const frames = native.encode({ link });
    const text = native.encodeText!({ link });
    for (const entry of [...LOG, ...LOG.toReversed(), { ...LOG[7]!, at: 12 }, { ...LOG[7]!, at: 61_005 }])
      expect(text(entry)).toBe(frames(entry).map(frameText).join(""));
  });

  test("unknown keys are kept", () => {
    const event = { type: "text-delta", part: "p", delta: "x", later: 1 } as unknown as Event;
    const [frame] = native.encode({ link })({ seq: 1, at: 2, event });
    expect(native.decode()(frame!)).toEqual([event]);
  });

  test("a frame depends only on its entry", () => {
    const fed = native.encode({ link });
    const all = LOG.map((entry) => fed(entry));
    expect(native.stateless).toBe(true);
    expect(LOG.map((entry) => native.encode({ link })(entry))).toEqual(all);
  });

  test("heartbeats and snapshots are not events", () => {
    const decode = native.decode();
    const [beat] = native.heartbeat.frames({ waiting: "tool", since: 5 });
    expect(beat).toEqual({ event: "heartbeat", data: '{"waiting":"tool","since":5}' });
    expect(decode(beat!)).toEqual([]);
    expect(native.snapshot?.(3, {}).flatMap((frame) => decode(frame))).toEqual([]);
  });

  test("a token's frame is at most 1.4 times its bare data line", () => {
    const entry: Entry = {
      seq: 1234,
      at: 1_700_000_000_000,
      event: { type: "text-delta", part: "text-1", delta: " token" },
    };
    const [frame] = native.encode({ link })(entry);
    const whole = `id: ${frame!.id}\nevent: ${frame!.event}\ndata: ${frame!.data}\n\n`;
    expect(whole.length / `data: ${frame!.data}\n\n`.length).toBeLessThan(1.4);
  });
});

describe("requests", () => {
  test("`message` is short for one user message", () => {
    expect(read("start", { body: { message: "hi", thread: "t" } })).toEqual({
      do: "start",
      request: { thread: "t", messages: [{ role: "user", content: [{ type: "text", text: "hi" }] }] },
    });
  });

  test("secrets come only from headers", () => {
    const body = { message: "hi" };
    expect(read("start", { body, headers: { "Runcast-Secret-Api-Key": "s3cret" } })).toMatchObject({
      request: { secrets: { API_KEY: "s3cret" } },
    });
    const refusal = refused(() => read("start", { body: { ...body, secrets: { a: "hidden" } } }));
    expect(refusal.code).toBe("secrets-in-body");
    expect(refusal.hint).toContain("Runcast-Secret-");
    expect(refusal.message).not.toContain("hidden");
  });

  test("a client that accepts only JSON gets the run's id", () => {
    const detached = (accept: string) =>
      (read("start", { body: { message: "x" }, headers: { accept } }) as { detached?: boolean }).detached;
    expect(detached("application/json")).toBe(true);
    expect(detached("*/*")).toBeUndefined();
    expect(detached("text/event-stream, application/json")).toBeUndefined();
  });

  test.each([
    ["the field messages[0].role", { messages: [{ role: "robot", content: [] }] }],
    ["the field run", { message: "x", run: "no spaces" }],
    ["the field messages[0].content[0]", { messages: [{ role: "user", content: [{ type: "smell" }] }] }],
    ["the field message is invalid: expected string, received number", { message: 5 }],
    ["either `message`", {}],
    ["either `message`", { message: "x", messages: [{ role: "user", content: [] }] }],
    ["the body", "hello"],
    ["the body is missing", undefined],
  ])("a mistake is named: %s", (named, body) => {
    const { status, message } = refused(() => read("start", { body }));
    expect(status).toBe(400);
    expect(message).toContain(named);
    expect(message).not.toContain("\n");
  });

  test("a client of an older version is refused, and one without a version is served", () => {
    const body = { message: "hi" };
    for (const request of [{ headers: { "Runcast-Protocol": "1" } }, { query: "protocol=1" }])
      expect(refused(() => read("start", { body, ...request }))).toMatchObject({
        code: "protocol",
        status: 406,
        message: "this server uses protocol 2, and the client reads up to 1",
        hint: "update the client",
      });
    for (const request of [{}, { headers: { "Runcast-Protocol": "2" } }, { query: "protocol=3" }])
      expect(read("start", { body, ...request })).toMatchObject({ do: "start" });
  });

  test("Last-Event-ID takes precedence over ?after=", () => {
    const follow = (headers: Record<string, string>, query: string) =>
      read("follow", { params: { run: "r" }, headers, query });
    expect(follow({}, "")).toEqual({ do: "follow", run: "r", after: { seq: 0, frame: 0 } });
    expect(follow({}, "after=7")).toMatchObject({ after: { seq: 7, frame: 0 } });
    expect(follow({ "last-event-id": "9.2" }, "after=7")).toMatchObject({ after: { seq: 9, frame: 2 } });
    expect(follow({}, "from=snapshot&style=s&extensions=1")).toMatchObject({
      from: "snapshot",
      style: "s",
      extensions: true,
    });
    expect(follow({}, "after=7&at=1763000000000")).toMatchObject({ after: { seq: 7, frame: 0 }, at: 1763000000000 });
    for (const bad of ["x", "-1", "1.5", ""])
      expect(refused(() => follow({}, `after=7&at=${bad}`)).code).toBe("bad-cursor");
    for (const bad of ["x", "-1", "1.", "1e3", "99999999999999999"]) {
      expect(parseCursor(bad)).toBeUndefined();
      expect(refused(() => follow({ "last-event-id": bad }, "")).code).toBe("bad-cursor");
    }
  });

  test("write is the inverse of read", () => {
    const messages = [{ role: "user" as const, content: [{ type: "text" as const, text: awkward }] }];
    const commands: Command[] = [
      {
        do: "start",
        request: { run: "r", messages, secrets: { A_KEY: "v" } },
        detached: true,
        style: "s",
        extensions: true,
      },
      { do: "start", request: { messages } },
      { do: "follow", run: "r", after: { seq: 4, frame: 1 }, style: "s", extensions: true },
      { do: "follow", run: "r", after: { seq: 0, frame: 0 }, from: "snapshot" },
      { do: "answer", run: "r", ask: "a/b", answer: { allow: true, input: { x: 1 } } },
      { do: "cancel", run: "r", call: "c", reason: "enough" },
      { do: "cancel", run: "r" },
    ];
    for (const command of commands) {
      const { method, path, headers, body } = native.write(command);
      const [where = "", query = ""] = path.split("?");
      const route = native.routes.find((each) => each.does === command.do)!;
      expect(route.method).toBe(method);
      const names = route.path.split("/");
      const params = Object.fromEntries(
        where
          .split("/")
          .flatMap((part, index) =>
            names[index]?.startsWith(":") ? [[names[index].slice(1), decodeURIComponent(part)]] : [],
          ),
      );
      const request = {
        params,
        query: new URLSearchParams(query),
        headers: new Headers(headers),
        body: body && JSON.parse(body),
      };
      expect(native.read(route, request)).toEqual(command);
    }
  });

  test("a refusal contains code, message and hint", () => {
    expect(native.refuse({ status: 418, code: "teapot", message: "short", hint: "and stout" })).toEqual({
      status: 418,
      body: '{"error":{"code":"teapot","message":"short","hint":"and stout"}}',
    });
  });
});
