import { SignJWT } from "jose";
import { describe, expect, test } from "vitest";
import type { Key } from "../src/access.ts";
import { native } from "../src/dialects/native.ts";
import { openWebui } from "../src/dialects/open-webui.ts";
import { openaiResponses } from "../src/dialects/openai-responses.ts";
import type { ServerOptions } from "../src/server.ts";
import type { Source } from "../src/source.ts";
import { segmented } from "./segmented-dialect.ts";
import { post, refusal, serve } from "./serving.ts";
import { startIssuer } from "./token-issuer.ts";

const KEYS: readonly Key[] = [
  { name: "alice", key: "secret-of-alice" },
  { name: "bob", key: "secret-of-bob" },
  { name: "chat", key: "secret-of-chat", onBehalf: true },
  { name: "root", key: "secret-of-root", rights: ["admin"] },
];
const PEOPLE = ["alice", "bob", "carol", "dave"] as const;

const asking: Source = async function* (_, { answerTo }) {
  yield { type: "data", name: "title", value: "a private title" };
  yield { type: "ask-start", ask: "ok", kind: "confirmation" };
  await answerTo("ok");
};

/** Alice and Bob have keys, Carol and Dave have tokens of an identity provider. */
const setUp = async (source: Source = asking, options: Partial<ServerOptions> = {}) => {
  const issuer = await startIssuer();
  const tokens = { carol: await issuer.sign({ sub: "carol" }), dave: await issuer.sign({ sub: "dave" }) };
  const dialects = [native, openaiResponses, openWebui, segmented];
  const { url } = await serve(source, { keys: KEYS, jwt: issuer.options, dialects, ...options });
  const as = (who: string): Record<string, string> => {
    const [name = "", user] = who.split(" for ");
    const secret = name in tokens ? tokens[name as keyof typeof tokens] : `secret-of-${name}`;
    return { authorization: `Bearer ${secret}`, ...(user !== undefined && { "x-openwebui-user-id": user }) };
  };
  const start = async (who: string, body: object = {}) => {
    const headers = { accept: "application/json", ...as(who) };
    const response = await post(`${url}/runs`, { message: "hi", ...body }, headers);
    return { status: response.status, ...((await response.json()) as { run: string; error?: { code: string } }) };
  };
  return { url, issuer, as, start };
};

/** Every action on a run, by its id and by its thread, and the response to users that it does not belong to. */
const ACTIONS: Readonly<
  Record<string, (run: string, thread: string) => [method: string, path: string, body?: object]>
> = {
  state: (run) => ["GET", `/runs/${run}`],
  events: (run) => ["GET", `/runs/${run}/events`],
  "events in another dialect": (run) => ["GET", `/runs/${run}/events?dialect=open-webui`],
  "events of the pipe": (run) => ["GET", `/open-webui/v1/runs/${run}/events`],
  "log file": (run) => ["GET", `/runs/${run}/export.jsonl`],
  access: (run) => ["GET", `/runs/${run}/access`],
  links: (run) => ["GET", `/runs/${run}/links`],
  share: (run) => ["POST", `/runs/${run}/links`, {}],
  "runs of the thread": (_, thread) => ["GET", `/threads/${thread}`],
  "latest of the thread": (_, thread) => ["GET", `/threads/${thread}/latest`],
  answer: (run) => ["POST", `/runs/${run}/asks/ok`, { allow: true }],
  "answer by the pipe": (run) => ["POST", `/open-webui/v1/runs/${run}/asks/ok/answer`, { allow: true }],
  "answer by the thread": (_, thread) => ["POST", `/threads/${thread}/asks/ok`, { allow: true }],
  "answer with the next request": (_, thread) => [
    "POST",
    `/threads/${thread}`,
    { answers: [{ ask: "ok", answer: { allow: true } }] },
  ],
  cancel: (run) => ["POST", `/runs/${run}/cancel`, {}],
  delete: (run) => ["DELETE", `/runs/${run}`],
  "cancel by the pipe": (run) => ["POST", `/open-webui/v1/runs/${run}/cancel`, {}],
  "cancel by the thread": (_, thread) => ["POST", `/threads/${thread}/cancel`, {}],
};

/** These are only for the user whose runs they are, not for administrators. */
const OWN: ReadonlySet<string> = new Set(["runs of the thread"]);

describe("user × action × run", () => {
  test.each(Object.keys(ACTIONS))("%s", async (name) => {
    const { url, as, start } = await setUp();
    for (const owner of PEOPLE) {
      for (const who of [...PEOPLE, "chat", "chat for alice", "root"]) {
        const thread = `thread-${owner}-${who}`.replaceAll(" ", "-");
        const { run } = await start(owner, { thread });
        const [method, path, body] = ACTIONS[name]!(run, thread);
        const headers = { ...as(who), ...(body && { "content-type": "application/json" }) };
        const response = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
        const cell = `${who}, ${name}, a run of ${owner}`;
        // The segmented dialect reads no headers of Open WebUI.
        const user =
          who === "chat for alice" && !path.startsWith("/threads") && !path.startsWith("/runs") ? "alice" : who;
        const isAllowed = user === owner || (who === "root" && !OWN.has(name));
        if (isAllowed) expect([response.ok, cell]).toEqual([true, cell]);
        else expect([[404].includes(response.status), cell]).toEqual([true, cell]);
        await response.body?.cancel();
      }
    }
  });

  test("lists, thread lookups and Open WebUI's housekeeping contain only the caller's own data", async () => {
    const { url, as, start } = await setUp();
    const runs: Record<string, string> = {};
    for (const who of PEOPLE) runs[who] = (await start(who, { thread: "shared-id" })).run;
    const titleFor = async (who: string) => {
      const body = { model: "test", messages: [{ role: "user", content: "### Task:\nGenerate a concise title" }] };
      const headers = { ...as(who), "x-openwebui-chat-id": "shared-id", "x-openwebui-task": "title_generation" };
      return await (await post(`${url}/open-webui/v1/chat/completions`, body, headers)).text();
    };
    for (const who of PEOPLE) {
      const listed = (await (await fetch(`${url}/runs?thread=shared-id`, { headers: as(who) })).json()) as {
        runs: { run: string }[];
      };
      expect(listed.runs.map(({ run }) => run)).toEqual([runs[who]]);
      expect(await titleFor(who)).toContain("a private title");
    }
    for (const who of ["chat", "chat for eve"]) expect(await titleFor(who)).not.toContain("a private title");
    expect(await titleFor("chat for alice")).toContain("a private title");
  });

  test("deleting a thread deletes only the caller's own runs", async () => {
    const { url, as, start } = await setUp();
    const runs: string[] = [];
    for (const who of PEOPLE) runs.push((await start(who, { thread: "shared-id" })).run);
    const remove = async (who: string) =>
      (await (await fetch(`${url}/threads/shared-id`, { method: "DELETE", headers: as(who) })).json()) as object;
    expect(await remove("chat")).toEqual({ deleted: 0 });
    for (const who of ["alice", "carol"]) expect(await remove(who)).toEqual({ deleted: 1 });
    const statuses = runs.map(async (run) => (await fetch(`${url}/runs/${run}`, { headers: as("root") })).status);
    expect(await Promise.all(statuses)).toEqual([410, 200, 410, 200]);
  });

  test("run ids cannot be squatted, and no user can continue another's run", async () => {
    const { url, as, start } = await setUp(async function* () {
      yield { type: "notice", level: "info", text: "done" };
    });
    await start("carol", { run: "mine" });
    for (const who of ["alice", "bob", "dave", "chat", "chat for alice"]) {
      expect(await start(who, { run: "mine" })).toMatchObject({ status: 409, error: { code: "run-taken" } });
      // A request that names a user of Open WebUI is one of Open WebUI, which continues nothing.
      if (who.includes(" for ")) continue;
      const body = { model: "test", input: "more", previous_response_id: "resp_mine" };
      expect((await post(`${url}/v1/responses`, body, as(who))).status).toBe(404);
    }
    expect(await start("carol", { run: "mine" })).toMatchObject({ status: 202 });
  });

  test("the log records the user who answered or cancelled, even behind a front end", async () => {
    const { url, as, start } = await setUp();
    const logOf = async (run: string) =>
      await (await fetch(`${url}/runs/${run}/export.jsonl`, { headers: as("root") })).text();
    for (const [owner, who, by] of [
      ["alice", "alice", "alice"],
      ["carol", "carol", "carol"],
      ["alice", "chat for alice", "alice"],
      ["dave", "root", "root"],
    ] as const) {
      const answered = (await start(owner)).run;
      await post(`${url}/open-webui/v1/runs/${answered}/asks/ok/answer`, { allow: true }, as(who));
      expect(await logOf(answered)).toContain(`"by":"${by}"`);
      const cancelled = (await start(owner)).run;
      await post(`${url}/open-webui/v1/runs/${cancelled}/cancel`, {}, as(who));
      expect(await logOf(cancelled)).toContain(`stopped by ${by}`);
    }
  });

  test("commands of a thread require only the right of their command", async () => {
    const keys: readonly Key[] = [
      { name: "alice", key: "secret-of-alice" },
      { name: "watcher", key: "secret-of-watcher", user: "alice", rights: ["watch"] },
      { name: "answerer", key: "secret-of-answerer", user: "alice", rights: ["answer"] },
      { name: "starter", key: "secret-of-starter", user: "alice", rights: ["start"] },
    ];
    const { url, as, start } = await setUp(asking, { keys });
    const table: Readonly<Record<string, string>> = {
      watcher: "latest of the thread",
      answerer: "answer by the thread, cancel by the thread",
      starter: "cancel by the thread",
    };
    for (const [who, allowed] of Object.entries(table))
      for (const name of ["latest of the thread", "answer by the thread", "cancel by the thread"]) {
        const { run } = await start("alice", { thread: "t" });
        const [method, path, body] = ACTIONS[name]!(run, "t");
        const headers = { ...as(who), ...(body && { "content-type": "application/json" }) };
        const response = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
        expect([who, name, response.status]).toEqual([who, name, allowed.includes(name) ? 200 : 403]);
        await response.body?.cancel();
      }
  });
});

describe("tokens of an identity provider", () => {
  const ask = (url: string, token: string) => fetch(`${url}/runs`, { headers: { authorization: `Bearer ${token}` } });

  test("are refused if they are forged, expired, for another audience, or name no user", async () => {
    const { url, issuer } = await setUp();
    const unsigned = `${Buffer.from('{"alg":"none"}').toString("base64url")}.${Buffer.from('{"sub":"carol"}').toString("base64url")}.`;
    const shared = await new SignJWT({ sub: "carol", iss: issuer.options.issuer, aud: "runcast", exp: 9_999_999_999 })
      .setProtectedHeader({ alg: "HS256" })
      .sign(new TextEncoder().encode("a-secret-that-both-sides-know-of-32b"));
    for (const token of [
      await issuer.forge({ sub: "carol" }),
      await issuer.sign({ sub: "carol", exp: 1 }),
      await issuer.sign({ sub: "carol", aud: "another" }),
      await issuer.sign({ sub: "carol", iss: "https://another.example" }),
      await issuer.sign({ sub: "" }),
      await issuer.sign({}),
      unsigned,
      shared,
    ])
      expect((await refusal(await ask(url, token))).status, token).toBe(401);
    expect((await ask(url, await issuer.sign({ sub: "carol" }))).status).toBe(200);
  });

  test("set the user and the rights from the configured claims", async () => {
    const issuer = await startIssuer();
    const { url } = await serve(asking, { jwt: { ...issuer.options, user: "email", rights: "roles" } });
    const start = async (claims: object) => {
      const token = await issuer.sign({ email: "carol@example.org", ...claims });
      return (
        await post(`${url}/runs`, { message: "x" }, { accept: "application/json", authorization: `Bearer ${token}` })
      ).status;
    };
    expect(await start({ roles: ["start", "unknown"] })).toBe(202);
    expect(await start({ roles: "watch start" })).toBe(202);
    expect(await start({ roles: ["watch"] })).toBe(403);
    expect(await start({})).toBe(403);
  });

  test("an unreachable provider is not reported as an invalid token", async () => {
    const issuer = await startIssuer();
    issuer.setDown(true);
    const { url } = await serve(asking, { jwt: issuer.options });
    const token = await issuer.sign({ sub: "carol" });
    expect(await refusal(await ask(url, token))).toMatchObject({ status: 503, code: "no-identity-provider" });
    issuer.setDown(false);
    await expect.poll(async () => (await ask(url, token)).status).toBe(200);
    expect(await refusal(await fetch(`${url}/runs`))).toMatchObject({ status: 401, code: "key-required" });
  });
});
