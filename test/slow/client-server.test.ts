import { type ChildProcess, fork } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { createClient } from "../../src/client.ts";
import { native } from "../../src/dialects/native.ts";
import type { Entry } from "../../src/events.ts";
import { memory } from "../../src/logs/memory.ts";
import { createServer, type ServerOptions } from "../../src/server.ts";
import type { Source } from "../../src/source.ts";
import { type AskNode, type CallNode, type MarkNode, createState, fold, snapshot, subscribe } from "../../src/state.ts";
import { verify } from "../../src/verify.ts";

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const serve = async (source: Source, options: Partial<ServerOptions> = {}) => {
  const log = memory();
  const server = createServer({
    agents: { test: source },
    dialects: [native],
    log,
    runner: { graceMs: 50 },
    ...options,
  });
  const { url } = await server.listen();
  closers.push(async () => {
    await server.close();
    await log.close();
  });
  return { log, url, client: createClient({ url, backoff: () => 0 }) };
};

const quick: Source = async function* () {
  yield { type: "status", text: "quick" };
};

/** Asks for approval before it continues, and stores a file. */
const asking: Source = async function* (_, context) {
  yield { type: "step-start", step: "s" };
  yield { type: "tool-start", call: "c", name: "write" };
  yield { type: "tool-input-end", call: "c", input: { path: "a" } };
  yield { type: "step-end", step: "s", finish: "tools" };
  yield { type: "ask-start", ask: "q", kind: "approval", call: "c" };
  const { outcome, answer } = await context.answerTo("q");
  if (outcome !== "answered") return;
  yield { type: "tool-execute", call: "c" };
  const ref = await context.put("0123456789", { mediaType: "text/plain", name: "digits" });
  yield { type: "file", call: "c", file: ref.file, name: "digits" };
  yield { type: "tool-end", call: "c", outcome: answer?.allow ? "ok" : "error" };
};

/** Resolves when the state has the node. */
const untilNode = (state: ReturnType<typeof createState>, id: string) =>
  new Promise<void>((resolve) => {
    const check = () => void (state.nodes.has(id) && resolve());
    subscribe(state, "", check);
    subscribe(state, "c", check);
    check();
  });

describe("with the server", () => {
  test("answers an ask, gets a file, lists the run", async () => {
    const { client } = await serve(asking);
    const handle = client.start({ message: "write", thread: "t" });
    await untilNode(handle.state, "q");
    await handle.answer("q", { allow: true });
    await handle.answer("q", { allow: true });
    await expect(handle.answer("q", { allow: false })).rejects.toMatchObject({ status: 409 });
    const state = await handle.finished;
    expect((state.nodes.get("q") as AskNode).answer).toEqual({ allow: true });
    const call = state.nodes.get("c") as CallNode;
    expect(call.state).toBe("ok");
    const file = call.items.find((item): item is MarkNode => item.kind === "file")!;
    const response = await client.file(handle.run, (file.event as { file: string }).file, { range: "bytes=2-4" });
    expect(await response.text()).toBe("234");
    const { runs } = await client.list({ thread: "t" });
    expect(runs).toMatchObject([{ run: handle.run, thread: "t", outcome: "done", seq: state.seq }]);
  });

  test("cancels a run that it has just requested, twice", async () => {
    const { client } = await serve(asking);
    const handle = client.start({ message: "write" });
    expect(await handle.cancel({ reason: "changed my mind" })).toBe("cancelled");
    expect((await handle.finished).outcome).toBe("cancelled");
    expect(await handle.cancel()).toBe("ended");
  });

  test("follows from any position: the start, a cursor, a snapshot, the end", async () => {
    const { client } = await serve(asking);
    const handle = client.start({ message: "write" });
    await untilNode(handle.state, "q");
    const live = client.follow(handle.run, { from: "snapshot" });
    await untilNode(live.state, "q");
    await handle.answer("q", { allow: true });
    const whole = snapshot(await handle.finished);
    expect(whole.outcome).toBe("done");
    expect(snapshot(await live.finished)).toEqual(whole);
    expect(snapshot(await client.follow(handle.run).finished)).toEqual(whole);
    expect(snapshot(await client.follow(handle.run, { from: "snapshot" }).finished)).toEqual(whole);
    expect((await client.follow(handle.run, { after: whole.seq }).finished).seq).toBe(whole.seq);
    const entries: Entry[] = [];
    for await (const entry of client.follow(handle.run, { after: 3 }).entries()) entries.push(entry);
    expect(entries.map(({ seq }) => seq)).toEqual(Array.from({ length: whole.seq - 3 }, (_, index) => index + 4));
  });

  test("reports why not: no run, a dropped run, no key, a token's limits", async () => {
    const { client, log } = await serve(quick);
    await expect(client.follow("nobody").finished).rejects.toMatchObject({ status: 404, code: "unknown-run" });
    const handle = client.start({ message: "hi" });
    await handle.finished;
    await log.drop(handle.run);
    await expect(client.follow(handle.run, { after: 1 }).finished).rejects.toMatchObject({ status: 410 });
    await expect(client.cancel(handle.run)).rejects.toMatchObject({ status: 410 });

    const { url } = await serve(quick, { key: "a-key-of-mine" });
    await expect(createClient({ url }).start({ message: "hi" }).finished).rejects.toMatchObject({ status: 401 });
    const keyed = createClient({ url, key: "a-key-of-mine" });
    const { run, finished } = keyed.start({ message: "hi" });
    await finished;
    const response = await fetch(`${url}/runs/${run}/links`, {
      method: "POST",
      headers: { authorization: "Bearer a-key-of-mine", "content-type": "application/json" },
      body: "{}",
    });
    const { token } = (await response.json()) as { token: string };
    const reader = createClient({ url, token });
    expect((await reader.follow(run).finished).outcome).toBe("done");
    await expect(reader.cancel(run)).rejects.toMatchObject({ status: 403 });
  });
});

describe("a server that is killed during a run and comes back", () => {
  const start = async (directory: string, port: number): Promise<{ child: ChildProcess; port: number }> => {
    const child = fork(path.join(import.meta.dirname, "../restarted-server.ts"), [directory, `${port}`]);
    closers.push(() => kill(child));
    return {
      child,
      port: await new Promise<number>((resolve) => child.once("message", (text) => resolve(Number(text)))),
    };
  };
  const kill = (child: ChildProcess): Promise<void> =>
    new Promise((resolve) => {
      if (child.exitCode !== null || child.signalCode !== null) return resolve();
      child.once("exit", () => resolve());
      child.kill("SIGKILL");
    });

  test("ends the run as interrupted, and the client reports it", async () => {
    const directory = await mkdtemp(path.join(tmpdir(), "runcast-client-"));
    closers.push(() => rm(directory, { recursive: true }));
    const { child, port } = await start(directory, 0);
    const client = createClient({ url: `http://127.0.0.1:${port}`, backoff: () => 10 });
    const entries: Entry[] = [];
    const statuses: string[] = [];
    const handle = client.start({ message: "wait" }, { onEntry: (entry) => entries.push(entry) });
    handle.subscribe(({ status }) => statuses.at(-1) === status || statuses.push(status));
    await untilNode(handle.state, "p");
    await kill(child);
    await start(directory, port);
    const state = await handle.finished;
    expect(state).toMatchObject({ outcome: "interrupted", error: { code: "interrupted" } });
    expect(state.nodes.get("c")).toMatchObject({ state: "interrupted" });
    expect(verify(entries)).toBeUndefined();
    expect(statuses).toEqual(["live", "reconnecting", "live", "finished"]);
    const again = createState();
    for await (const entry of client.follow(handle.run).entries()) fold(again, entry);
    expect(snapshot(again)).toEqual(snapshot(state));
  });
});
