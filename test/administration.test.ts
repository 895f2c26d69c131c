import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, test, vi } from "vitest";
import { keys as keysCommand } from "../src/cli/keys.ts";
import { memory } from "../src/logs/memory.ts";
import { sqlite } from "../src/logs/sqlite.ts";
import type { Source } from "../src/source.ts";
import { ended, onStop, post, refusal, textSource, serve, silent, until } from "./serving.ts";

const ADMIN = "the-key-of-the-admin";
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const keyed = { key: ADMIN, keys: [{ name: "alice", key: "the-key-of-alice" }] } as const;
const as = (key: string) => ({ ...bearer(key), "content-type": "application/json", accept: "application/json" });
const remove = (url: string, key: string) => fetch(url, { method: "DELETE", headers: bearer(key) });
const addKey = async (url: string, body: object): Promise<string> => {
  const response = await post(`${url}/admin/keys`, body, bearer(ADMIN));
  expect(response.status).toBe(201);
  return ((await response.json()) as { key: string }).key;
};
const startAs = async (url: string, key: string, body: object = {}): Promise<string> =>
  ((await (await post(`${url}/runs`, { message: "hi", ...body }, as(key))).json()) as { run: string }).run;
const runsOf = async (url: string, key: string) =>
  ((await (await fetch(`${url}/runs`, { headers: bearer(key) })).json()) as { runs: { run: string }[] }).runs.map(
    ({ run }) => run,
  );
const status = async (url: string, key: string) => (await fetch(`${url}/runs`, { headers: bearer(key) })).status;

describe("keys that are created while the server runs", () => {
  test("work like configured keys, in every process that shares the log, until they are revoked", async () => {
    const log = memory();
    const { url } = await serve(silent, { ...keyed, log });
    const other = await serve(silent, { ...keyed, log });
    const bob = await addKey(url, { name: "bob" });
    const screen = await addKey(url, { name: "screen", user: "bob", rights: ["watch"] });
    const run = await startAs(other.url, bob);
    expect(await runsOf(url, screen)).toEqual([run]);
    expect(await runsOf(url, "the-key-of-alice")).toEqual([]);
    expect((await post(`${url}/runs`, { message: "hi" }, as(screen))).status).toBe(403);
    const stream = await fetch(`${url}/runs/${run}/events`, { headers: bearer(screen) });
    const link = await post(`${url}/runs/${run}/links`, {}, bearer(bob));
    const { token } = (await link.json()) as { token: string };

    expect((await remove(`${url}/admin/keys/bob`, ADMIN)).status).toBe(200);
    expect((await remove(`${url}/admin/keys/screen`, ADMIN)).status).toBe(200);
    await expect(stream.text()).rejects.toThrow();
    expect([await status(url, bob), await status(url, screen)]).toEqual([401, 401]);
    expect((await fetch(`${url}/runs/${run}?token=${token}`)).status).toBe(401);
    expect((await remove(`${url}/admin/keys/bob`, ADMIN)).status).toBe(404);
  });

  test("are stored as hashes and shown once", async () => {
    const directory = await mkdtemp(path.join(tmpdir(), "runcast-keys-"));
    onStop(() => rm(directory, { recursive: true, force: true }));
    const log = sqlite({ directory });
    onStop(() => log.close());
    const { url } = await serve(silent, { ...keyed, log });
    const key = await addKey(url, { name: "bob" });
    const listed = await (await fetch(`${url}/admin/keys`, { headers: bearer(ADMIN) })).text();
    expect(JSON.parse(listed)).toMatchObject({
      keys: [{ name: "key" }, { name: "alice", configured: true }, { name: "bob", user: "bob", by: "key" }],
    });
    for (const secret of [key, ADMIN, "the-key-of-alice"]) expect(listed).not.toContain(secret);
    for (const file of ["log.db", "log.db-wal"])
      expect((await readFile(path.join(directory, file))).includes(key)).toBe(false);
  });

  test("can be created only by admins, need unique names, and require a server with keys", async () => {
    const { url } = await serve(silent, keyed);
    const bob = await addKey(url, { name: "bob" });
    for (const key of ["the-key-of-alice", bob]) {
      expect((await post(`${url}/admin/keys`, { name: "more" }, bearer(key))).status).toBe(403);
      expect((await fetch(`${url}/admin/keys`, { headers: bearer(key) })).status).toBe(403);
      expect((await remove(`${url}/admin/keys/bob`, key)).status).toBe(403);
      expect((await fetch(`${url}/admin/audit`, { headers: bearer(key) })).status).toBe(403);
      expect((await fetch(`${url}/admin/backup`, { method: "POST", headers: bearer(key) })).status).toBe(403);
    }
    for (const name of ["bob", "alice"])
      expect(await refusal(await post(`${url}/admin/keys`, { name }, bearer(ADMIN)))).toMatchObject({ status: 409 });
    for (const body of [{ name: "a b" }, { name: "x", rights: ["all"] }, { name: "x", key: "mine" }, {}])
      expect((await post(`${url}/admin/keys`, body, bearer(ADMIN))).status).toBe(400);
    const open = await serve(silent);
    expect(await refusal(await post(`${open.url}/admin/keys`, { name: "bob" }))).toMatchObject({ code: "no-keys" });
  });

  test("keys can be managed from the command line", async () => {
    const { url } = await serve(silent, keyed);
    const written = vi.spyOn(process.stdout, "write").mockImplementation(() => true);
    const run = async (positionals: string[], options: Record<string, string> = {}) => {
      written.mockClear();
      await keysCommand.run({ positionals, options: { url, key: ADMIN, ...options }, environment: {}, directory: "." });
      return written.mock.calls.map(([text]) => String(text)).join("");
    };
    try {
      const key = (await run(["add", "bob"], { user: "robert", rights: "start, watch" })).trim();
      expect(await status(url, key)).toBe(200);
      const listed = await run(["list"]);
      expect(listed).toMatch(/^bob +robert +start,watch +since \d{4}-\d\d-\d\d +by key$/m);
      const lines = listed.trimEnd().split("\n");
      expect(new Set(lines.map((line) => line.search(/from the configuration|since/))).size).toBe(1);
      expect(await run(["revoke", "bob"])).toContain("revoked bob");
      expect(await status(url, key)).toBe(401);
      await expect(run(["revoke", "bob"])).rejects.toThrow("there is no key bob");
      await expect(run(["list"], { key: "the-key-of-alice" })).rejects.toThrow("requires the admin right");
    } finally {
      written.mockRestore();
    }
  });
});

/** Asks, and ends with the answer. */
const asking: Source = async function* (_, { answerTo }) {
  yield { type: "ask-start", ask: "a", kind: "confirmation", title: "Go on?" };
  await answerTo("a");
};

test("the audit records who started, watched, answered, cancelled, shared and deleted, without any content", async () => {
  const { url } = await serve(asking, keyed);
  const secret = "nobody else's business";
  const run = await startAs(url, "the-key-of-alice", { message: secret });
  for (let count = 0; count < 3; count += 1) await fetch(`${url}/runs/${run}`, { headers: bearer("the-key-of-alice") });
  await post(`${url}/runs/${run}/links`, {}, bearer("the-key-of-alice"));
  await until(
    async () => (await post(`${url}/runs/${run}/asks/a`, { allow: true }, bearer("the-key-of-alice"))).status === 200,
  );
  const other = await startAs(url, "the-key-of-alice");
  await post(`${url}/runs/${other}/cancel`, {}, bearer(ADMIN));
  await remove(`${url}/runs/${other}`, ADMIN);
  const read = async (query = "") => (await fetch(`${url}/admin/audit${query}`, { headers: bearer(ADMIN) })).text();
  const { entries } = JSON.parse(await read()) as { entries: { who: string; action: string; what: string }[] };
  const actions = entries
    .map(({ who, action, what }) => `${who} ${action} ${what === run ? "run" : "other"}`)
    .toSorted();
  expect(actions).toEqual(
    [
      "alice start run",
      "alice watch run",
      "alice share run",
      "alice answer run",
      "alice start other",
      "key cancel other",
      "key delete other",
    ].toSorted(),
  );
  expect(await read()).not.toContain(secret);
  const cancels = JSON.parse(await read("?action=cancel")) as { entries: unknown[] };
  expect(cancels.entries).toHaveLength(1);
  const page = JSON.parse(await read("?limit=2")) as { entries: unknown[]; next: string };
  expect(page.entries).toHaveLength(2);
  const rest = JSON.parse(await read(`?before=${page.next}`)) as { entries: unknown[] };
  expect(rest.entries).toHaveLength(5);
});

describe("deleting", () => {
  test("a run, even an active one, deletes its files and links too", async () => {
    const log = memory();
    const { url } = await serve(silent, { ...keyed, log });
    const run = await startAs(url, "the-key-of-alice");
    const file = await log.put(run, new Uint8Array(10), { mediaType: "text/plain" });
    const { token } = (await (await post(`${url}/runs/${run}/links`, {}, bearer("the-key-of-alice"))).json()) as {
      token: string;
    };
    const bob = await addKey(url, { name: "bob" });
    expect((await remove(`${url}/runs/${run}`, bob)).status).toBe(404);
    expect((await fetch(`${url}/runs/${run}?token=${token}`, { method: "DELETE" })).status).toBe(403);
    expect(await (await remove(`${url}/runs/${run}`, "the-key-of-alice")).json()).toEqual({ deleted: 1 });
    expect((await remove(`${url}/runs/${run}`, "the-key-of-alice")).status).toBe(410);
    expect(await log.get(run, file.file)).toBeUndefined();
    expect((await fetch(`${url}/runs/${run}?token=${token}`)).status).toBe(401);
  });

  test("a thread deletes only the caller's own runs", async () => {
    const { url } = await serve(textSource(["ok"]), keyed);
    const bob = await addKey(url, { name: "bob" });
    const own = [await startAs(url, bob, { thread: "t/1" }), await startAs(url, bob, { thread: "t/1" })];
    const others = await startAs(url, "the-key-of-alice", { thread: "t/1" });
    const elsewhere = await startAs(url, bob, { thread: "t2" });
    expect(await (await remove(`${url}/threads/${encodeURIComponent("t/1")}`, bob)).json()).toEqual({
      deleted: own.length,
    });
    expect(await runsOf(url, bob)).toEqual([elsewhere]);
    expect(await runsOf(url, "the-key-of-alice")).toEqual([others]);
    expect(await (await remove(`${url}/threads/${encodeURIComponent("t/1")}`, ADMIN)).json()).toEqual({ deleted: 1 });
  });

  test("a user's runs is allowed only for that user and admins", async () => {
    const { url } = await serve(textSource(["ok"]), keyed);
    const bob = await addKey(url, { name: "bob" });
    for (let count = 0; count < 3; count += 1) await startAs(url, bob);
    const others = await startAs(url, "the-key-of-alice");
    await ended(url, others).catch(() => {});
    expect((await remove(`${url}/users/bob`, "the-key-of-alice")).status).toBe(404);
    const me = (key: string) => fetch(`${url}/me`, { headers: { authorization: `Bearer ${key}` } });
    expect(await (await me(bob)).json()).toEqual({ user: "bob", rights: ["start", "watch", "answer"] });
    expect(await (await me(ADMIN)).json()).not.toHaveProperty("user");
    expect((await me("wrong")).status).toBe(401);
    expect(await (await remove(`${url}/users/bob`, bob)).json()).toEqual({ deleted: 3 });
    expect(await runsOf(url, bob)).toEqual([]);
    expect(await (await remove(`${url}/users/alice`, ADMIN)).json()).toEqual({ deleted: 1 });
  });
});
