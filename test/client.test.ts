import { afterEach, describe, expect, test, vi } from "vitest";
import { type ClientOptions, ClientError, type Connection, createClient, type RunHandle } from "../src/client.ts";
import { createSilence } from "../src/client/silence.ts";
import type { Entry, Event } from "../src/events.ts";
import { createState, fold, type PartNode, snapshot } from "../src/state.ts";
import { type Answering, frame, hangs, refuses, startScriptedServer, streams } from "./scripted-server.ts";

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const RUN: readonly Event[] = [
  { type: "run-start", protocol: 1, run: "r", name: "test" },
  { type: "step-start", step: "s" },
  { type: "text-start", part: "p" },
  { type: "text-delta", part: "p", delta: "ha" },
  { type: "text-delta", part: "p", delta: "ha" },
  { type: "text-end", part: "p" },
  { type: "step-end", step: "s", finish: "stop" },
  { type: "run-end", outcome: "done", answer: ["p"] },
];
const ENTRIES: readonly Entry[] = RUN.map((event, index) => ({ seq: index + 1, at: 1001 + index, event }));
const frames = (first: number, last: number) =>
  ENTRIES.slice(first - 1, last).map(({ seq, event }) => frame(seq, event));
const HEARTBEAT = 'event: heartbeat\ndata: {"waiting":"tool","since":5}\n\n';

const setUp = async (script: readonly Answering[], options: Partial<ClientOptions> = {}) => {
  const server = await startScriptedServer(...script);
  closers.push(server.close);
  const client = createClient({ url: server.url, backoff: () => 0, ...options });
  return { server, client };
};

const watch = (handle: RunHandle) => {
  closers.push(handle.close);
  const seen: Connection[] = [];
  handle.subscribe((connection) => seen.push(connection));
  const statuses = () => seen.map(({ status }) => status);
  const until = (status: Connection["status"]) =>
    vi.waitFor(() => expect(handle.connection.status).toBe(status), { timeout: 20_000, interval: 1 });
  return { seen, statuses, until };
};

const followAll = async (script: readonly Answering[], options: Partial<ClientOptions> = {}) => {
  const { server, client } = await setUp(script, options);
  const entries: Entry[] = [];
  const handle = client.follow("r", { onEntry: (entry) => entries.push(entry) });
  const { seen, statuses } = watch(handle);
  const state = await handle.finished;
  return { server, entries, seen, statuses, text: (state.nodes.get("p") as PartNode).text, state, handle };
};

describe("following", () => {
  test("an uninterrupted stream goes from connecting to live to finished", async () => {
    const { entries, statuses, text, handle } = await followAll([streams(...frames(1, 8))]);
    expect(entries).toEqual(ENTRIES);
    expect(text).toBe("haha");
    expect(statuses()).toEqual(["live", "finished"]);
    expect(handle.connection).toEqual({ status: "finished" });
  });

  test("the end of the stream is not the end of the run", async () => {
    const { server, entries, statuses } = await followAll([streams(...frames(1, 4)), streams(...frames(5, 8))]);
    expect(entries).toEqual(ENTRIES);
    expect(statuses()).toEqual(["live", "reconnecting", "live", "finished"]);
    expect(server.requests.map(({ headers }) => headers["last-event-id"])).toEqual([undefined, "4"]);
  });

  test("repeated entries are dropped by their seq, and equal content is kept", async () => {
    const script = [streams(...frames(1, 5)), streams(...frames(1, 6), ...frames(2, 7)), streams(...frames(4, 8))];
    const { entries, text } = await followAll(script);
    expect(entries).toEqual(ENTRIES);
    expect(text).toBe("haha");
  });

  test("a gap is never skipped: the client resumes from the last good cursor", async () => {
    const script = [streams(...frames(1, 2), ...frames(4, 8)), streams(...frames(4, 8)), streams(...frames(3, 8))];
    const { server, entries, seen } = await followAll(script);
    expect(entries).toEqual(ENTRIES);
    expect(server.requests.map(({ headers }) => headers["last-event-id"])).toEqual([undefined, "2", "2"]);
    expect(seen).toContainEqual(expect.objectContaining({ why: expect.objectContaining({ code: "bad-frame" }) }));
  });

  test("an unreadable frame counts as a cut", async () => {
    const broken = 'id: 3\nevent: text-start\ndata: {"type":"text-st\n\n';
    const { entries } = await followAll([streams(...frames(1, 2), broken), streams(...frames(3, 8))]);
    expect(entries).toEqual(ENTRIES);
  });

  test("half a frame at the end is not an entry", async () => {
    const half = frames(3, 3)[0]!.slice(0, -1);
    const { entries, server } = await followAll([streams(...frames(1, 2), half), streams(...frames(3, 8))]);
    expect(entries).toEqual(ENTRIES);
    expect(server.requests[1]!.headers["last-event-id"]).toBe("2");
  });

  test("an entry of an unknown type keeps its place", async () => {
    const unknown = { type: "text-sparkle", part: "p" } as unknown as Event;
    const script = [streams(...frames(1, 2), frame(3, unknown), frame(4, RUN[7]!))];
    const { client } = await setUp(script);
    const seqs: number[] = [];
    const state = await client.follow("r", { onEntry: ({ seq }) => seqs.push(seq) }).finished;
    expect(seqs).toEqual([1, 2, 3, 4]);
    expect(state.outcome).toBe("done");
  });

  test("a silent connection counts as dead", async () => {
    const answer: Answering = (response, request) =>
      (request.headers["last-event-id"] === "4" ? streams(...frames(5, 8)) : hangs(...frames(1, 4)))(response, request);
    const { entries, seen } = await followAll([answer], { silenceMs: 50 });
    expect(entries).toEqual(ENTRIES);
    expect(seen).toContainEqual(expect.objectContaining({ why: expect.objectContaining({ code: "silence" }) }));
  });

  test("a silent connection counts as dead even if the clock was set back", () => {
    vi.useFakeTimers();
    try {
      let silences = 0;
      createSilence(1000, () => silences++);
      vi.setSystemTime(Date.now() - 3_600_000);
      vi.advanceTimersByTime(2000);
      expect(silences).toBe(1);
    } finally {
      vi.useRealTimers();
    }
  });

  test("heartbeats report what the run waits for, until the next event", async () => {
    const { seen } = await followAll([streams(...frames(1, 3), HEARTBEAT, ...frames(4, 8))]);
    expect(seen).toEqual([
      { status: "live" },
      { status: "live", waiting: { waiting: "tool", since: 5 } },
      { status: "live" },
      { status: "finished" },
    ]);
  });

  test("from a cursor, only later entries arrive", async () => {
    const { server, client } = await setUp([streams(...frames(5, 8))]);
    const entries: Entry[] = [];
    await client.follow("r", { after: 4, onEntry: (entry) => entries.push(entry) }).finished;
    expect(entries).toEqual(ENTRIES.slice(4));
    expect(server.requests[0]!.headers["last-event-id"]).toBe("4");
  });

  test("a finished run can be followed from its end", async () => {
    const { client } = await setUp([(response) => response.writeHead(204).end()]);
    const handle = client.follow("r", { after: 8 });
    const entries = handle.entries();
    await handle.finished;
    expect(handle.connection.status).toBe("finished");
    expect(await entries.next()).toEqual({ value: undefined, done: true });
  });

  test("a run can be followed from a snapshot, and then from the cursor", async () => {
    const state = createState();
    for (const entry of ENTRIES.slice(0, 4)) fold(state, entry);
    const first = `id: 4\nevent: snapshot\ndata: ${JSON.stringify({ seq: state.seq, state: snapshot(state) })}\n\n`;
    const script = [streams(), streams(first, ...frames(5, 5)), streams(...frames(6, 8))];
    const { server, client } = await setUp(script);
    const entries: Entry[] = [];
    const folded = await client.follow("r", { from: "snapshot", onEntry: (entry) => entries.push(entry) }).finished;
    for (const entry of ENTRIES.slice(4)) fold(state, entry);
    expect(snapshot(folded)).toEqual(snapshot(state));
    expect(entries).toEqual(ENTRIES.slice(4));
    expect(server.requests.map(({ url, headers }) => [url, headers["last-event-id"]])).toEqual([
      ["/runs/r/events?from=snapshot", undefined],
      ["/runs/r/events?from=snapshot", undefined],
      ["/runs/r/events?at=1005", "5"],
    ]);
  });

  test("a finished run can be followed from its snapshot", async () => {
    const state = createState();
    for (const entry of ENTRIES) fold(state, entry);
    const { client } = await setUp([
      hangs(`id: 8\nevent: snapshot\ndata: ${JSON.stringify({ seq: state.seq, state: snapshot(state) })}\n\n`),
    ]);
    const folded = await client.follow("r", { from: "snapshot" }).finished;
    expect(snapshot(folded)).toEqual(snapshot(state));
  });
});

describe("starting", () => {
  test("is retried with the same id until an entry arrives, then resumed", async () => {
    const nothing: Answering = (response) => void response.destroy();
    const script = [nothing, streams(), streams(...frames(1, 2)), streams(...frames(3, 8))];
    const { server, client } = await setUp(script, { key: "a-key-of-mine" });
    const handle = client.start({ message: "hi", secrets: { token: "xyz" } });
    await handle.finished;
    expect(handle.run).toMatch(/^[a-z0-9]{20}$/);
    expect(server.requests.map(({ method }) => method)).toEqual(["POST", "POST", "POST", "GET"]);
    for (const { url, headers, body } of server.requests.slice(0, 3)) {
      expect(url).toBe("/runs");
      expect(JSON.parse(body)).toEqual({
        messages: [{ role: "user", content: [{ type: "text", text: "hi" }] }],
        run: handle.run,
      });
      expect(headers).toMatchObject({ "runcast-secret-token": "xyz", authorization: "Bearer a-key-of-mine" });
    }
    expect(server.requests[3]).toMatchObject({ url: `/runs/${handle.run}/events?at=1002`, body: "" });
  });

  test("keeps the id of the request", async () => {
    const { client } = await setUp([streams(...frames(1, 8))]);
    expect(client.start({ message: "hi", run: "mine" }).run).toBe("mine");
  });
});

describe("refusals", () => {
  test.each([400, 401, 403, 404, 410])("%i is final, with the server's message", async (status) => {
    const problem = { code: "a-code", message: "a message", hint: "a hint" };
    const { server, client } = await setUp([refuses(status, problem)]);
    const handle = client.follow("r");
    await expect(handle.finished).rejects.toMatchObject({
      code: "a-code",
      message: "a message",
      hint: "a hint",
      status,
    });
    await expect(handle.finished).rejects.toBeInstanceOf(ClientError);
    expect(handle.connection).toEqual({ status: "failed", problem });
    expect(server.requests.length).toBe(1);
  });

  test.each([408, 429, 500, 503])("%i is retried", async (status) => {
    const { entries, seen } = await followAll([refuses(status, "oh"), streams(...frames(1, 8))]);
    expect(entries).toEqual(ENTRIES);
    expect(seen[0]).toMatchObject({ status: "reconnecting", attempt: 1, why: { code: `http-${status}` } });
  });

  test("a server error is distinguished from no response, with its status and message", async () => {
    const problem = { code: "upstream-unreachable", message: "no upstream", retryable: true, hint: "start it" };
    const nothing: Answering = (response) => void response.destroy();
    const { seen } = await followAll([refuses(502, problem), nothing, streams(...frames(1, 8))]);
    const [answered, unanswered] = seen.filter(({ status }) => status === "reconnecting");
    expect(answered).toMatchObject({ why: problem, httpStatus: 502 });
    expect(unanswered).toMatchObject({ why: { code: "network" } });
    expect(unanswered).not.toHaveProperty("httpStatus");
  });

  test("a server error that is not marked as temporary is final", async () => {
    const { server, client } = await setUp([
      refuses(502, { code: "no-such-thing", message: "never", hint: "mend it" }),
    ]);
    await expect(client.start({ message: "hi" }).finished).rejects.toMatchObject({ status: 502, hint: "mend it" });
    expect(server.requests.length).toBe(1);
  });

  test("attempts are counted until data arrives", async () => {
    const asked: number[] = [];
    const backoff = (attempt: number) => {
      asked.push(attempt);
      return 0;
    };
    const busy = refuses(503, "busy");
    await followAll([busy, busy, streams(), streams(...frames(1, 2)), busy, streams(...frames(3, 8))], { backoff });
    expect(asked).toEqual([1, 2, 3, 1, 2]);
  });

  test("the client gives up when the backoff does", async () => {
    const backoff = (attempt: number) => (attempt < 3 ? 0 : undefined);
    const { server, client } = await setUp([refuses(503, { code: "busy", message: "too busy" })], { backoff });
    await expect(client.follow("r").finished).rejects.toMatchObject({ code: "busy" });
    expect(server.requests.length).toBe(3);
  });

  test("a response that is not a stream is final at first, and retried later", async () => {
    const page: Answering = (response) => response.writeHead(200, { "content-type": "text/html" }).end("<p>Log in");
    const { client } = await setUp([page]);
    await expect(client.follow("r").finished).rejects.toMatchObject({ code: "no-stream" });
    const { entries } = await followAll([streams(...frames(1, 2)), page, streams(...frames(3, 8))]);
    expect(entries).toEqual(ENTRIES);
  });

  test.each<[string, readonly Answering[]]>([
    ["Retry-After in seconds", [refuses(503, "", { "retry-after": "100" })]],
    // Created before the tests run, possibly long before, so it must be far enough in the future.
    ["Retry-After as a date", [refuses(429, "", { "retry-after": new Date(Date.now() + 400_000).toUTCString() })]],
    ["retry of the stream", [streams("retry: 100000\n\n", ...frames(1, 2))]],
  ])("%s is waited out", async (_, script) => {
    const before = Date.now();
    const { client } = await setUp(script);
    const handle = client.follow("r");
    const { seen, until } = watch(handle);
    await until("reconnecting");
    const nextAt = (seen.at(-1) as Extract<Connection, { status: "reconnecting" }>).nextAt;
    expect(nextAt).toBeGreaterThanOrEqual(before + 100_000);
  });
});
