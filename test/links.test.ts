import { once } from "node:events";
import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { describe, expect, test } from "vitest";
import type { Key } from "../src/access.ts";
import { native } from "../src/dialects/native.ts";
import { openWebui } from "../src/dialects/open-webui.ts";
import { memory } from "../src/logs/memory.ts";
import type { ServerOptions } from "../src/server.ts";
import { createLinks } from "../src/server/links.ts";
import { createSessions } from "../src/server/sessions.ts";
import type { Source } from "../src/source.ts";
import { eachLog } from "./contracts/each-log.ts";
import { framesOf, post, refusal, serve } from "./serving.ts";

/** Creates a file, asks, and waits for the answer. */
const asking: Source = async function* (_, { answerTo, put }) {
  const { file, mediaType, bytes } = await put("the report", { mediaType: "text/plain", name: "report.txt" });
  yield { type: "file", name: "report.txt", file, mediaType, bytes };
  yield { type: "ask-start", ask: "ok", kind: "confirmation" };
  await answerTo("ok");
};

const KEYS: readonly Key[] = [
  { name: "alice", key: "secret-of-alice" },
  { name: "bob", key: "secret-of-bob" },
  { name: "screen", key: "secret-of-screen", user: "alice", rights: ["watch"] },
];
const as = (name: string) => ({ authorization: `Bearer secret-of-${name}` });

interface Made {
  readonly id: string;
  readonly token: string;
  readonly expires: number;
}

const setUp = async (options: Partial<ServerOptions> = {}) => {
  const { url, server } = await serve(asking, { keys: KEYS, dialects: [native, openWebui], ...options });
  const start = async () => {
    const body = {
      messages: [
        { role: "system", content: [{ type: "text", text: "the-system-prompt" }] },
        { role: "user", content: [{ type: "text", text: "an-earlier-message" }] },
        { role: "assistant", content: [{ type: "text", text: "yes" }] },
        { role: "user", content: [{ type: "text", text: "the-last-message" }] },
      ],
    };
    const response = await post(`${url}/runs`, body, { accept: "application/json", ...as("alice") });
    return ((await response.json()) as { run: string }).run;
  };
  const share = async (run: string, body: object = {}, who = "alice") => {
    const response = await post(`${url}/runs/${run}/links`, body, as(who));
    expect(response.status).toBe(201);
    return (await response.json()) as Made;
  };
  const list = async (run: string) =>
    ((await (await fetch(`${url}/runs/${run}/links`, { headers: as("alice") })).json()) as { links: Made[] }).links;
  const revoke = (run: string, id: string, who = "alice") =>
    fetch(`${url}/runs/${run}/links/${id}`, { method: "DELETE", headers: as(who) });
  const read = (run: string, token: string, path = "") => fetch(`${url}/runs/${run}${path}?token=${token}`);
  const answer = (run: string, token: string) => post(`${url}/runs/${run}/asks/ok?token=${token}`, { allow: true });
  return { url, start, share, list, revoke, read, answer, close: () => server.close() };
};

eachLog("share links", (opened) => {
  test("are listed, and work until they are revoked, in every process", async () => {
    const one = await setUp({ log: opened.one });
    const other = await setUp({ log: opened.other });
    const run = await one.start();
    const first = await one.share(run);
    const second = await one.share(run, { expiresInSeconds: 60 });
    for (const { token } of [first, second]) expect((await other.read(run, token)).status).toBe(200);
    expect((await other.list(run)).map(({ id }) => id).toSorted()).toEqual([first.id, second.id].toSorted());
    expect(JSON.stringify(await other.list(run))).not.toContain("rct_");
    expect((await other.revoke(run, first.id)).status).toBe(200);
    expect(await refusal(await one.read(run, first.token))).toMatchObject({ status: 401, code: "expired-token" });
    expect((await one.read(run, second.token)).status).toBe(200);
    expect((await one.list(run)).map(({ id }) => id)).toEqual([second.id]);
    expect(await refusal(await one.revoke(run, first.id))).toMatchObject({ status: 404, code: "unknown-link" });
    // Before their logs are.
    await Promise.all([one.close(), other.close()]);
  });

  test("expire by the engine's clock, and outlive the process if the log does", async () => {
    const first = await setUp({ log: opened.one });
    const run = await first.start();
    const { token } = await first.share(run, { expiresInSeconds: 3600 });
    if (opened.variant.shared) {
      const second = await setUp({ log: opened.other });
      expect((await second.read(run, token)).status).toBe(200);
      await second.close();
    }
    await opened.variant.pass(3_600_000);
    expect(await refusal(await first.read(run, token))).toMatchObject({ status: 401, code: "expired-token" });
    await first.close();
  });
});

describe("a share link", () => {
  test("cannot create another one, and no dialect renews it", async () => {
    const { url, start, share, read } = await setUp();
    const run = await start();
    const { token } = await share(run, { expiresInSeconds: 60 });
    expect((await post(`${url}/runs/${run}/links?token=${token}`, {})).status).toBe(403);
    expect((await fetch(`${url}/runs/${run}/links?token=${token}`)).status).toBe(403);
    const stream = await fetch(`${url}/runs/${run}/events?dialect=open-webui&token=${token}`);
    await post(`${url}/runs/${run}/cancel`, {}, as("alice"));
    const tokens = JSON.stringify(await framesOf(stream)).match(/rct_[\w.-]+/g) ?? [];
    expect(tokens.length).toBeGreaterThan(0);
    expect(new Set(tokens)).toEqual(new Set([token]));
    expect((await read(run, token)).status).toBe(200);
  });

  test("does not show the request or the users, unless that was shared too", async () => {
    const { url, start, share, read } = await setUp();
    const run = await start();
    await post(`${url}/runs/${run}/asks/ok`, { allow: true }, as("alice"));
    const all = await (await fetch(`${url}/runs/${run}/export.jsonl`, { headers: as("alice") })).text();
    const { file } = JSON.parse(all.split("\n")[0]!).event.request as { file: string };
    const hidden = /the-system-prompt|an-earlier-message|alice|"request"/;
    expect(all).toMatch(hidden);
    const { token } = await share(run);
    for (const path of ["", "/events", "/export.jsonl"]) {
      const text = await (await read(run, token, path)).text();
      expect(text, path).toContain("the-last-message");
      expect(text, path).not.toMatch(hidden);
    }
    expect(await (await fetch(`${url}/runs/${run}/events?from=snapshot&token=${token}`)).text()).not.toMatch(hidden);
    expect(await refusal(await read(run, token, `/files/${file}`))).toMatchObject({ status: 404 });
    const whole = await share(run, { request: true });
    expect(await (await read(run, whole.token, `/files/${file}`)).text()).toContain("the-system-prompt");
    expect(await (await read(run, whole.token, "/export.jsonl")).text()).toBe(all);
  });

  test("may allow answering its own run until the run ends, and nothing else", async () => {
    const { url, start, share, answer, read } = await setUp();
    const [run, another] = [await start(), await start()];
    const watching = await share(run);
    expect(await refusal(await answer(run, watching.token))).toMatchObject({ status: 403, code: "read-only-token" });
    const answering = await share(run, { answer: true });
    expect((await answer(another, answering.token)).status).toBe(403);
    expect((await post(`${url}/runs/${run}/cancel?token=${answering.token}`, {})).status).toBe(403);
    expect(await (await read(run, answering.token, "/access")).json()).toMatchObject({ answer: true, cancel: false });
    expect((await answer(run, answering.token)).status).toBe(200);
    const log = await (await fetch(`${url}/runs/${run}/export.jsonl`, { headers: as("alice") })).text();
    expect(log).toContain(`"by":"link-${answering.id}"`);
    const later = await post(`${url}/runs/${run}/asks/ok?token=${answering.token}`, { allow: false });
    expect(later.status).toBe(409);
  });

  test("is created, listed and revoked by those who may share the run, with no more rights than theirs", async () => {
    const { url, start, share, revoke } = await setUp();
    const run = await start();
    expect((await post(`${url}/runs/${run}/links`, {}, as("bob"))).status).toBe(404);
    expect((await fetch(`${url}/runs/${run}/links`, { headers: as("bob") })).status).toBe(404);
    expect(await refusal(await post(`${url}/runs/${run}/links`, { answer: true }, as("screen")))).toMatchObject({
      status: 403,
    });
    const { id } = await share(run, {}, "screen");
    expect((await revoke(run, id, "bob")).status).toBe(404);
    expect((await revoke(run, id)).status).toBe(200);
  });

  test("ends with the key that created it", async () => {
    const log = memory();
    const before = await setUp({ log });
    const run = await before.start();
    const { token } = await before.share(run, {}, "screen");
    expect((await before.read(run, token)).status).toBe(200);
    const after = await setUp({ log, keys: KEYS.filter(({ name }) => name !== "screen") });
    expect(await refusal(await after.read(run, token))).toMatchObject({ status: 401, code: "expired-token" });
  });

  test("revoking a link disconnects its viewers", async () => {
    const { start, share, revoke, read } = await setUp();
    const run = await start();
    const { id, token } = await share(run);
    const stream = await read(run, token, "/events");
    const read1 = stream.body!.getReader();
    await read1.read();
    await revoke(run, id);
    await expect(
      (async () => {
        while (!(await read1.read()).done);
      })(),
    ).rejects.toThrow();
  });

  test("the link of a chat's message is listed, and stays revoked", async () => {
    const { url, start, list, revoke, read } = await setUp();
    const run = await start();
    expect(await list(run)).toEqual([]);
    const follow = async () => {
      const stop = new AbortController();
      const headers = as("alice");
      const { body } = await fetch(`${url}/runs/${run}/events?dialect=open-webui`, { headers, signal: stop.signal });
      let text = "";
      for await (const bytes of body!) if (/rct_[\w.-]+/.test((text += Buffer.from(bytes).toString()))) break;
      stop.abort();
      return /rct_[\w.-]+/.exec(text)![0];
    };
    const token = await follow();
    await expect.poll(async () => (await read(run, token)).status).toBe(200);
    expect(await list(run)).toMatchObject([{ id: "chat", chat: true, by: "alice" }]);
    expect((await revoke(run, "chat")).status).toBe(200);
    expect(await follow()).toBe(token);
    expect((await read(run, token)).status).toBe(401);
    expect(await list(run)).toEqual([]);
  });

  test("a revoked link and the links of a deleted run leave no records", async () => {
    const log = memory();
    const links = createLinks({ records: log.records, secret: "s", knowsKey: async () => true, onError: () => {} });
    const stored = () => log.records.list("link", { limit: 1000 });
    const wanted = { run: "r", expires: Date.now() + 60_000 };
    const { link, token } = await links.create(wanted);
    expect(await links.revoke("r", link.id)).toBe(true);
    expect(await stored()).toEqual([]);
    expect(await links.find(token)).toBe("gone");
    expect(await links.revoke("r", link.id)).toBe(false);
    for (let count = 0; count < 3; count += 1) await links.create(wanted);
    await links.forget("r");
    expect(await stored()).toEqual([]);
  });

  test("a stream that closed before it was tracked is not checked", async () => {
    const checked: string[] = [];
    const knowsKey = async (key: string) => checked.push(key) > 0;
    const sessions = createSessions({ find: async () => "gone" }, knowsKey, () => {});
    const response = new ServerResponse(new IncomingMessage(new Socket()));
    response.destroy();
    await once(response, "close");
    sessions.add({ name: "alice", rights: ["watch"], isRevocable: true, key: "k" }, response);
    await sessions.check();
    expect(checked).toEqual([]);
  });
});
