import { describe, expect, test } from "vitest";
import { forge } from "../../src/dialects/forge.ts";
import { native } from "../../src/dialects/native.ts";
import type { Source } from "../../src/source.ts";
import { framesOf, post, serve } from "../serving.ts";

const dialects = [native, forge];

describe("pages that a call embeds", () => {
  const html = "<!doctype html><script>alert(1)</script><p>Map</p>";
  const embedding: Source = async function* () {
    yield { type: "step-start", step: "s" };
    for (const call of ["small", "large", "there", "none"]) {
      yield { type: "tool-start", call, name: call };
      yield { type: "tool-input-end", call, input: {} };
    }
    yield { type: "step-end", step: "s", finish: "tools" };
    for (const call of ["small", "large", "there", "none"]) yield { type: "tool-execute", call };
    yield { type: "embed", embed: "old", call: "small", html: "<p>old</p>" };
    yield { type: "embed", embed: "a/b", call: "small", html, origins: ["https://cdn.example"] };
    yield { type: "embed", embed: "big", call: "large", html: html + " ".repeat(100_000) };
    yield { type: "embed", embed: "url", call: "there", url: 'https://map.example/?a=1&b="' };
    for (const call of ["small", "large", "there", "none"])
      yield { type: "tool-end", call, outcome: "ok", content: [{ type: "text", text: "drawn" }] };
  };

  test("are named in its result, and fetched as text that cannot execute", async () => {
    const { url } = await serve(embedding, { dialects });
    const frames = await framesOf(await post(`${url}/forge/chat/stream`, { user_message: "go", messages: [] }));
    const metadata = frames
      .filter(({ event }) => event === "tool_result")
      .flatMap(({ data }) => (JSON.parse(data) as { ui_metadata?: { resourceUri: string } }).ui_metadata ?? []);
    expect(metadata).toMatchObject([
      { resourceUri: expect.stringMatching(/^ui:\/\//), csp: { resourceDomains: ["https://cdn.example"] } },
      { resourceUri: expect.stringMatching(/^ui:\/\//) },
      { resourceUri: expect.stringMatching(/^ui:\/\//) },
    ]);
    const read = (uri: string) => fetch(`${url}/forge/api/resources?uri=${encodeURIComponent(uri)}`);
    const small = await read(metadata[0]!.resourceUri);
    expect(small.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(small.headers.get("content-security-policy")).toContain("sandbox");
    expect(await small.text()).toBe(html);
    expect((await (await read(metadata[1]!.resourceUri)).text()).trimEnd()).toBe(html);
    expect(await (await read(metadata[2]!.resourceUri)).text()).toContain(
      'src="https://map.example/?a=1&amp;b=&quot;"',
    );
    for (const uri of [
      "",
      "ui://other/x",
      "ui://runcast/nothing/here",
      `${metadata[0]!.resourceUri}x`,
      "ui://runcast/%",
    ])
      expect((await read(uri)).status, uri).toBe(404);
  });

  test("are available only to those who may watch the run", async () => {
    const keys = [
      { name: "ann", key: "k-ann-0123456789", user: "ann" },
      { name: "bob", key: "k-bob-0123456789", user: "bob" },
    ];
    const { url } = await serve(embedding, { dialects, keys });
    const as = (key: string) => ({ authorization: `Bearer ${key}`, "content-type": "application/json" });
    const started = await fetch(`${url}/forge/chat/stream`, {
      method: "POST",
      headers: as(keys[0]!.key),
      body: JSON.stringify({ user_message: "go", messages: [] }),
    });
    const uri = /ui:\/\/runcast\/[^"]+/.exec(await started.text())![0];
    const read = (headers: Record<string, string>) =>
      fetch(`${url}/forge/api/resources?uri=${encodeURIComponent(uri)}`, { headers });
    expect((await read(as(keys[0]!.key))).status).toBe(200);
    expect((await read(as(keys[1]!.key))).status).toBe(404);
    expect((await read({})).status).toBe(401);
  });
});
