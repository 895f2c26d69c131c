import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { page } from "../src/page.ts";
import { Refusal, describeAgent } from "../src/source.ts";
import { textSource, serve } from "./serving.ts";

const built = page()!;

describe("the page's files", () => {
  const get = async (url: string, path = "/", headers: Record<string, string> = {}) => {
    const response = await fetch(url + path, { headers: { "accept-encoding": "identity", ...headers } });
    return { response, text: await response.text() };
  };
  const assetsOf = (html: string): string[] =>
    [...html.matchAll(/(?:src|href)="\.(\/assets\/[^"]+)"/g)].map(([, path]) => path!);

  test("the document is always revalidated, and the assets it references are cached forever", async () => {
    const { url } = await serve(textSource(["a"]), { page: built });
    const { response, text } = await get(url);
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(response.headers.get("cache-control")).toBe("no-cache");
    const assets = assetsOf(text);
    expect(assets.length).toBeGreaterThan(1);
    for (const path of assets) {
      const asset = await get(url, path);
      expect(asset.response.status).toBe(200);
      // Another content has another name.
      expect(path).toMatch(/-[\w-]{8}\.\w+$/);
      expect(asset.response.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
      expect(asset.response.headers.get("content-type")).toMatch(
        /^(?:text\/(?:javascript|css); charset=utf-8|image\/svg\+xml)$/,
      );
    }
  });

  test("the page runs only its own scripts", async () => {
    const { url } = await serve(textSource(["a"]), { page: built });
    const { response, text } = await get(url);
    const policy = response.headers.get("content-security-policy")!;
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("connect-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe-eval|script-src[^;]*unsafe|\*|http:/);
    expect(policy.match(/[a-z-]+(?= [^;]*https:)/g)).toEqual(["img-src"]);
    expect(text).not.toMatch(/<script(?![^>]*\ssrc=)|<style| on[a-z]+=|https?:\/\//);
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(response.headers.get("referrer-policy")).toBe("no-referrer");
  });

  test("files are compressed for clients that accept it", async () => {
    const path = assetsOf(await (await built(new Request("http://localhost/")))!.text()).find((asset) =>
      asset.endsWith(".js"),
    );
    const ask = async (encoding?: string) => {
      const response = await built(
        new Request(`http://localhost${path}`, encoding ? { headers: { "accept-encoding": encoding } } : {}),
      );
      return { coding: response!.headers.get("content-encoding"), bytes: Buffer.from(await response!.arrayBuffer()) };
    };
    const plain = await ask();
    expect(plain.coding).toBe(null);
    const brotli = await ask("gzip, deflate, br, zstd");
    expect(brotli.coding).toBe("br");
    expect(brotliDecompressSync(brotli.bytes)).toEqual(plain.bytes);
    const gzip = await ask("gzip;q=1.0");
    expect(gzip.coding).toBe("gzip");
    expect(gunzipSync(gzip.bytes)).toEqual(plain.bytes);
    expect(brotli.bytes.length).toBeLessThan(plain.bytes.length / 2);
  });

  test("files need no key, and nothing else is served with them", async () => {
    const { url } = await serve(textSource(["a"]), { page: built, key: "a-long-enough-key" });
    const { text } = await get(url);
    for (const path of assetsOf(text)) expect((await get(url, path)).response.status).toBe(200);
    expect((await get(url, "/agents")).response.status).toBe(401);
    for (const path of ["/assets/..%2f..%2fpackage.json", "/assets/none.js", "/index.html", "/assets/"])
      expect((await get(url, path)).response.status, path).toBeGreaterThanOrEqual(400);
  });

  test("the server reports its agents to the page", async () => {
    const { url } = await serve(textSource(["a"]), {
      agents: {
        one: describeAgent(textSource([]), { model: "m" }),
        two: describeAgent(textSource([]), { suggestions: ["Do it"], modes: ["plan"] }),
      },
      defaultAgent: "two",
    });
    expect(JSON.parse((await get(url, "/agents")).text)).toEqual({
      agents: [
        { name: "two", suggestions: ["Do it"], modes: ["plan"] },
        { name: "one", model: "m" },
      ],
      limits: { fileBytes: 10 * 1024 ** 2, filesBytes: 32 * 1024 ** 2, files: 100 },
    });
  });

  test("an MCP server is checked before it is used", async () => {
    const check = (url: string, body: unknown) =>
      fetch(`${url}/servers/check`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
    const { url } = await serve(textSource(["a"]), {
      validateServer: async ({ url: asked, key }) => {
        if (key === "private") throw new Refusal("private-address", "that is private", { status: 422 });
        if (key !== "k") throw new Error(`${asked} wants a key`);
        return [{ name: "tool" }];
      },
    });
    const found = await check(url, { url: "https://host.example/mcp", key: "k" });
    expect([found.status, await found.json()]).toEqual([200, { tools: [{ name: "tool" }] }]);
    const refused = await check(url, { url: "https://host.example/mcp" });
    expect(refused.status).toBe(422);
    expect(await refused.json()).toMatchObject({ error: { message: "https://host.example/mcp wants a key" } });
    const kept = await check(url, { url: "https://host.example/mcp", key: "private" });
    expect(await kept.json()).toEqual({ error: { code: "private-address", message: "that is private" } });
    expect((await check(url, { url: "no url" })).status).toBe(400);
    const without = await serve(textSource(["a"]));
    expect((await check(without.url, { url: "https://host.example/mcp" })).status).toBe(501);
  });
});
