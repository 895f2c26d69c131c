import { describe, expect, test } from "vitest";
import type { Key } from "../src/access.ts";
import type { Message } from "../src/events.ts";
import type { RunInfo } from "../src/log.ts";
import { memory } from "../src/logs/memory.ts";
import type { ThreadRow, ThreadRun } from "../src/protocol.ts";
import type { ServerOptions } from "../src/server.ts";
import { post, refusal, textSource, serve, until } from "./serving.ts";
import { storeRun } from "./stored-runs.ts";

const KEYS: readonly Key[] = [
  { name: "alice", key: "secret-of-alice" },
  { name: "bob", key: "secret-of-bob" },
  { name: "starter", key: "secret-of-starter", user: "alice", rights: ["start"] },
  { name: "boss", key: "secret-of-boss", rights: ["admin"] },
];
const as = (who: string) => ({ authorization: `Bearer ${who.startsWith("rct_") ? who : `secret-of-${who}`}` });

interface Threads {
  readonly threads: readonly ThreadRow[];
  readonly next?: string;
}
interface Runs {
  readonly runs: readonly ThreadRun[];
  readonly next?: string;
}

const setUp = async (options: Partial<ServerOptions> = {}) => {
  const log = memory({ maxRuns: 2000 });
  const { url } = await serve(textSource(["a"]), { keys: KEYS, log, ...options });
  const get = async <Body>(who: string, path: string) =>
    (await (await fetch(url + path, { headers: as(who) })).json()) as Body;
  const start = async (who: string, body: object): Promise<string> => {
    const headers = { accept: "application/json", ...as(who) };
    const message = "messages" in body ? {} : { message: "hi" };
    const response = await post(`${url}/runs`, { ...message, ...body }, headers);
    expect(response.status).toBe(202);
    const { run } = (await response.json()) as { run: string };
    await until(() => (log.info(run) as RunInfo | undefined)?.endedAt !== undefined);
    return run;
  };
  return { url, log, get, start };
};
const names = ({ threads }: Threads) => threads.map(({ thread }) => thread);
const user = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] });

describe("a user's threads", () => {
  test("are listed once each, last used first, with the first message as the title", async () => {
    const { get, start } = await setUp();
    await start("alice", { thread: "old", message: "How deep is the sea?" });
    await start("alice", { thread: "new", message: "Where is it?" });
    await start("bob", { thread: "of bob" });
    await start("alice", { message: "without a thread" });
    const last = await start("alice", { thread: "old", message: "And how wide?" });
    const { threads } = await get<Threads>("alice", "/threads");
    expect(threads.map(({ thread, title }) => [thread, title])).toEqual([
      ["old", "How deep is the sea?"],
      ["new", "Where is it?"],
    ]);
    expect(threads[0]).toMatchObject({ run: last, agent: "test" });
    expect(threads[0]!.updatedAt).toBeGreaterThanOrEqual(threads[0]!.createdAt);
    expect(threads[0]).not.toHaveProperty("open");
  });

  test("come in pages without repetition, however the runs of threads are mixed", async () => {
    const { get, start } = await setUp();
    for (let round = 0; round < 3; round++)
      for (let index = 0; index < 7; index++) await start("alice", { thread: `t${index}` });
    const listed: string[] = [];
    let next: string | undefined;
    do {
      const page: Threads = await get("alice", `/threads?limit=3${next ? `&before=${next}` : ""}`);
      expect(page.threads.length).toBeLessThanOrEqual(3);
      listed.push(...names(page));
      next = page.next;
    } while (next !== undefined);
    expect(listed).toEqual(["t6", "t5", "t4", "t3", "t2", "t1", "t0"]);
  });

  test("a thread with more runs than one request examines does not end the list", async () => {
    const { get, log } = await setUp();
    const store = (run: string, thread: string) => storeRun(log, { run, thread, user: "alice", message: "hi" });
    await store("first", "first");
    for (let index = 0; index < 1001; index++) await store(`r${index}`, "long");
    const page = await get<Threads>("alice", "/threads");
    expect(names(page)).toEqual(["long"]);
    expect(names(await get<Threads>("alice", `/threads?before=${page.next}`))).toEqual(["first"]);
  });

  test("belong to one user: no one else gets them, not even an administrator or a share link", async () => {
    const { url, get, start } = await setUp();
    const run = await start("alice", { thread: "t", message: "secret" });
    const { token } = (await (await post(`${url}/runs/${run}/links`, {}, as("alice"))).json()) as { token: string };
    for (const who of ["bob", "boss"]) {
      expect(await get(who, "/threads")).toEqual({ threads: [] });
      expect((await fetch(`${url}/threads/t`, { headers: as(who) })).status).toBe(404);
    }
    for (const path of ["/threads", "/threads/t"]) {
      const linked = await fetch(url + path, { headers: as(token) });
      expect(await linked.text()).not.toContain("secret");
      expect((await fetch(url + path, { headers: as("starter") })).status).toBe(403);
      expect((await fetch(url + path)).status).toBe(401);
    }
    await start("bob", { thread: "t", message: "of bob" });
    expect((await get<Runs>("alice", "/threads/t")).runs.map((one) => one.run)).toEqual([run]);
  });

  test("a server without users has none", async () => {
    const { url } = await serve(textSource(["a"]));
    await post(`${url}/runs`, { message: "hi", thread: "t" });
    expect(await (await fetch(`${url}/threads`)).json()).toEqual({ threads: [] });
    expect((await fetch(`${url}/threads/t`)).status).toBe(404);
  });

  test("deleted runs and threads are gone", async () => {
    const { url, get, start } = await setUp();
    await start("alice", { thread: "t" });
    await start("alice", { thread: "u" });
    await fetch(`${url}/threads/t`, { method: "DELETE", headers: as("alice") });
    expect(names(await get("alice", "/threads"))).toEqual(["u"]);
    expect((await fetch(`${url}/threads/t`, { headers: as("alice") })).status).toBe(404);
  });

  test("limits are checked", async () => {
    const { url } = await setUp();
    for (const limit of ["0", "201", "x", "1.5"])
      expect(await refusal(await fetch(`${url}/threads?limit=${limit}`, { headers: as("alice") }))).toMatchObject({
        code: "bad-request",
      });
  });
});

describe("the runs of a thread", () => {
  test("are newest first, with the message and the run that each continues, in pages", async () => {
    const { get, start } = await setUp();
    const first = await start("alice", { thread: "t", previous: null, message: "one" });
    const second = await start("alice", { thread: "t", previous: first, messages: [user("one"), user("two")] });
    const { runs } = await get<Runs>("alice", "/threads/t");
    expect(runs.map(({ run, previous, message }) => [run, previous, message])).toEqual([
      [second, first, user("two")],
      [first, null, user("one")],
    ]);
    const page = await get<Runs>("alice", "/threads/t?limit=1");
    expect([page.runs.map(({ run }) => run), page.next]).toEqual([[second], second]);
    const rest = await get<Runs>("alice", `/threads/t?limit=1&before=${page.next}`);
    expect([rest.runs.map(({ run }) => run), rest.next]).toEqual([[first], undefined]);
  });

  test("a fork has the runs of the thread that it continues, unless they belong to someone else", async () => {
    const { get, start } = await setUp();
    const first = await start("alice", { thread: "t", message: "one" });
    const second = await start("alice", { thread: "t", previous: first, message: "two" });
    const fork = await start("alice", { thread: "fork", previous: second, message: "three" });
    const runsOf = async (thread: string) =>
      (await get<Runs>("alice", `/threads/${thread}`)).runs.map(({ run }) => run);
    expect(await runsOf("fork")).toEqual([fork, second, first]);
    const other = await start("bob", { thread: "of-bob", message: "private" });
    const guess = await start("alice", { thread: "guess", previous: other, message: "four" });
    expect(await runsOf("guess")).toEqual([guess]);
    const circle = await start("alice", { thread: "circle", run: "circle", previous: "circle" });
    expect(await runsOf("circle")).toEqual([circle]);
  });

  test("a run that continues with results of calls has these, not the user's message again", async () => {
    const { get, start } = await setUp();
    const first = await start("alice", { thread: "t", previous: null, message: "one" });
    const call: Message = { role: "assistant", content: [{ type: "call", call: "c", name: "look", input: {} }] };
    const result: Message = {
      role: "tool",
      content: [{ type: "result", call: "c", name: "look", content: [{ type: "text", text: "seen" }] }],
    };
    await start("alice", { thread: "t", previous: first, messages: [user("one"), call, result] });
    const { runs } = await get<Runs>("alice", "/threads/t");
    expect(runs.map(({ message }) => message)).toEqual([result, user("one")]);
  });

  test("files refer to the run that has them", async () => {
    const { get, start } = await setUp();
    const data = Buffer.from("text").toString("base64");
    const content = [{ type: "file", name: "a.txt", mediaType: "text/plain", data }];
    const run = await start("alice", { thread: "t", messages: [{ role: "user", content }] });
    const [found] = (await get<Runs>("alice", "/threads/t")).runs;
    expect(found!.message!.content).toMatchObject([{ type: "file", run, name: "a.txt" }]);
  });
});
