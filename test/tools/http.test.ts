import type { ServerResponse } from "node:http";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import { ToolResult } from "../../src/tool.ts";
import { readableText } from "../../src/http-answer/readable.ts";
import { type HttpOptions, http } from "../../src/tools/http.ts";
import { type Seen, type TestServer, startServer } from "./http-server.ts";
import { callTool, recordingContext, textOf } from "./recording-context.ts";
import { cpuTime } from "../cpu-time.ts";

const servers: TestServer[] = [];
const start = async (respond?: (request: Seen, response: ServerResponse) => void): Promise<TestServer> => {
  const server = await startServer(respond);
  servers.push(server);
  return server;
};
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

const fetchUrl = async (
  input: object,
  options: HttpOptions = {},
  context = recordingContext(),
): Promise<ToolResult> => {
  const result = await callTool(http(options), input, context);
  if (!(result instanceof ToolResult)) throw new Error("expected a result");
  return result;
};
/** Serves one response and fetches it. */
const fetched = async (
  headers: Record<string, string>,
  body: string | Uint8Array,
  { status = 200, ...options }: HttpOptions & { status?: number } = {},
) => {
  const server = await start((_, response) => response.writeHead(status, headers).end(body));
  const context = recordingContext();
  const result = await fetchUrl(
    { url: `${server.url}/dir/thing.bin?x=1` },
    { allowPrivate: [server.host], ...options },
    context,
  );
  return { result, context };
};

/** `<port>` is the port of a server on this machine. */
const PRIVATE = [
  "http://127.0.0.1:<port>/",
  "http://127.1:<port>/",
  "http://2130706433:<port>/",
  "http://0x7f000001:<port>/",
  "http://0x7f.0.0.1:<port>/",
  "http://0177.0.0.1:<port>/",
  "http://017700000001:<port>/",
  "http://127.255.255.254:<port>/",
  "http://0.0.0.0:<port>/",
  "http://0:<port>/",
  "http://１２７.０.０.１:<port>/",
  "http://127。0。0。1:<port>/",
  "http://①②⑦.0.0.1:<port>/",
  "http://127.0.0.1.:<port>/",
  "http://%31%32%37.0.0.1:<port>/",
  "http:/127.0.0.1:<port>/",
  "http:\\\\127.0.0.1:<port>/",
  "http://127.0.0.1:<port>#@example.com/",
  "http://127.0.0.1:<port>\\@example.com/",
  "http://localhost:<port>/",
  "http://LOCALHOST:<port>/",
  "http://localhost.:<port>/",
  "http://[::1]:<port>/",
  "http://[::]:<port>/",
  "http://[::ffff:127.0.0.1]:<port>/",
  "http://[::ffff:7f00:1]:<port>/",
  "http://[0:0:0:0:0:ffff:7f00:0001]:<port>/",
  "http://[::127.0.0.1]:<port>/",
  "http://[64:ff9b::7f00:1]:<port>/",
  "http://[2002:7f00:1::]:<port>/",
  "http://[fe80::1]:<port>/",
  "http://[fec0::1]:<port>/",
  "http://[fc00::1]:<port>/",
  "http://[fd00:ec2::254]/latest/meta-data/",
  "http://169.254.169.254/latest/meta-data/",
  "http://100.100.100.200/",
  "http://10.0.0.1/",
  "http://172.16.0.1/",
  "http://172.31.255.255/",
  "http://192.168.1.1/",
  "http://192.0.0.192/",
  "http://198.18.0.1/",
  "http://224.0.0.1/",
  "http://255.255.255.255/",
  "https://127.0.0.1:<port>/",
];

describe("private addresses", () => {
  test.each(PRIVATE)("%s is refused before anything is sent", async (url) => {
    const server = await start();
    const at = url.replace("<port>", `${server.port}`);
    // Whether a name with a trailing dot resolves depends on the machine.
    await expect(fetchUrl({ url: at })).rejects.toThrow(url.includes("localhost.") ? /./ : "private network");
    expect(server.seen).toEqual([]);
  });

  test.each([
    "file:///etc/passwd",
    "ftp://127.0.0.1/",
    "gopher://127.0.0.1:6379/_x",
    "data:text/html,hi",
    "javascript:alert(1)",
    "/relative",
    "http://",
    "http://user:pass@127.0.0.1/",
    "http://example.com@127.0.0.1/",
  ])("%s is not a URL to fetch", async (url) => {
    await expect(fetchUrl({ url })).rejects.toThrow(/Only http and https|is not a URL|user name or password/);
  });

  test("only listed targets are allowed, by host and port as in the URL", async () => {
    const server = await start();
    const url = server.url;
    expect(textOf(await fetchUrl({ url }, { allowPrivate: [server.host] }))).toBe("ok");
    expect(
      textOf(
        await fetchUrl({ url: `http://LOCALHOST:${server.port}` }, { allowPrivate: [`localhost:${server.port}`] }),
      ),
    ).toBe("ok");
    for (const allowPrivate of [
      [`127.0.0.1:${server.port + 1}`],
      [`localhost:${server.port}`],
      ["127.0.0.1"],
      ["*"],
      [""],
    ]) {
      await expect(fetchUrl({ url }, { allowPrivate })).rejects.toThrow("private network");
    }
    expect(server.seen.length).toBe(2);
  });
});

describe("redirects", () => {
  test.each([301, 302, 303, 307, 308])("%i to a private address are refused, at any hop", async (status) => {
    const hidden = await start();
    const targets = [
      hidden.url,
      `http://localhost:${hidden.port}`,
      `http://[::ffff:127.0.0.1]:${hidden.port}`,
      "http://169.254.169.254/",
      "file:///etc/passwd",
    ];
    const server = await start(({ url }, response) => {
      const [, hop, index] = url.split("/").map(Number);
      response.writeHead(status, { location: hop ? `/${hop - 1}/${index}` : targets[index!]! }).end();
    });
    for (const [index] of targets.entries()) {
      await expect(fetchUrl({ url: `${server.url}/2/${index}` }, { allowPrivate: [server.host] })).rejects.toThrow(
        /private network|Only http/,
      );
    }
    expect(hidden.seen).toEqual([]);
  });

  test("are followed five times at most", async () => {
    const server = await start(({ url }, response) => {
      const left = Number(url.slice(1));
      if (left === 0) response.end("there");
      else response.writeHead(302, { location: `${left - 1}` }).end();
    });
    expect(textOf(await fetchUrl({ url: `${server.url}/5` }, { allowPrivate: [server.host] }))).toBe("there");
    await expect(fetchUrl({ url: `${server.url}/6` }, { allowPrivate: [server.host] })).rejects.toThrow(
      "more than 5 times",
    );
  });

  test("carry headers and bodies only to the same server", async () => {
    const other = await start();
    const server = await start(({ url }, response) => {
      const [, status, where] = url.split("/");
      if (!status) response.end("home");
      else response.writeHead(Number(status), { location: where === "other" ? other.url : "/" }).end();
    });
    const allowPrivate = [server.host, other.host];
    const headers = { authorization: "Bearer secret", cookie: "a=b", "x-api-key": "secret" };
    await fetchUrl({ url: `${server.url}/302/same`, headers }, { allowPrivate });
    expect(server.seen.at(-1)!.headers).toMatchObject(headers);
    await fetchUrl({ url: `${server.url}/302/other`, headers }, { allowPrivate });
    expect(JSON.stringify(other.seen.at(-1))).not.toContain("secret");
    await fetchUrl({ url: `${server.url}/307/same`, method: "POST", body: "data" }, { allowPrivate });
    expect(server.seen.at(-1)).toMatchObject({ method: "POST", body: "data", url: "/" });
    await fetchUrl({ url: `${server.url}/303/other`, method: "POST", body: "data" }, { allowPrivate });
    expect(other.seen.at(-1)).toMatchObject({ method: "GET", body: "" });
    await expect(
      fetchUrl({ url: `${server.url}/307/other`, method: "POST", body: "data" }, { allowPrivate }),
    ).rejects.toThrow("Send it there directly");
  });

  test.each(["DELETE", "POST"])("carry a %s without a body only to the same server", async (method) => {
    const other = await start();
    const server = await start((_, response) => void response.writeHead(308, { location: other.url }).end());
    await expect(fetchUrl({ url: server.url, method }, { allowPrivate: [server.host, other.host] })).rejects.toThrow(
      "Send it there directly",
    );
    expect(other.seen).toEqual([]);
  });
});

describe("responses", () => {
  test.each([
    ["HEAD", 200, {}],
    ["GET", 304, {}],
    ["GET", 200, { "content-length": "0" }],
  ])("responses to %s with %i may declare an encoding without a body", async (method, status, headers) => {
    const server = await start((_, response) =>
      response.writeHead(status, { "content-encoding": "gzip", ...headers }).end(),
    );
    const result = await fetchUrl({ url: server.url, method }, { allowPrivate: [server.host] });
    expect(textOf(result)).toContain(`HTTP ${status}`);
  });

  test("JSON is a value, and an error status is an error", async () => {
    const { result } = await fetched(
      { "content-type": "application/problem+json; charset=utf-8" },
      '{"a":[1,null,"ü"]}',
    );
    expect(result.content).toEqual([{ type: "json", value: { a: [1, null, "ü"] } }]);
    expect(result.isError).toBe(false);
    const missing = await fetched({ "content-type": "application/json" }, '{"error":"gone"}', { status: 404 });
    expect(missing.result).toMatchObject({
      isError: true,
      content: [{ text: "HTTP 404 Not Found" }, { value: { error: "gone" } }],
    });
    expect(textOf((await fetched({ "content-type": "application/json" }, "{oops")).result)).toBe("{oops");
    expect(textOf((await fetched({}, "", { status: 204 })).result)).toBe("HTTP 204 No Content, without content.");
  });

  const PAGE = `<!doctype html><html><head><title>A &amp; B</title><style>p{}</style></head><body><h1>Head</h1>
    <p>One &lt;two&gt; <a href="/next?a=1&amp;b=2">link</a><script>alert("<p>no</p>")</script></p><!-- <p>no</p> -->
    <ul><li>first<li>second</ul><table><tr><td>a<td>b</tr></table><pre>x\n  y</pre><img alt="a > b"></body></html>`;

  test("inline HTML is shown, and other HTML is read", async () => {
    const inline = await fetched({ "content-type": "text/html; charset=utf-8", "content-disposition": "inline" }, PAGE);
    const [{ html, ...embed }] = inline.context.emitted as unknown as [{ html: string }];
    expect(embed).toEqual({ type: "embed", title: "A & B" });
    // Its relative URLs resolve against its origin.
    expect(html.replace(/<base href="http:\/\/127\.0\.0\.1:\d+\/dir\/thing\.bin">/, "")).toBe(PAGE);
    expect(html).toMatch(/^<!doctype html><base /);
    expect(textOf(inline.result)).toBe('The page "A & B" is shown to the user.');
    const plain = await fetched({ "content-type": "text/html" }, PAGE);
    expect(plain.context.emitted).toEqual([]);
    expect(textOf(plain.result)).toBe(
      "A & B\n\n# Head\n\nOne <two> [link](/next?a=1&b=2)\n\n- first\n- second\n\nab\n\nx\n  y",
    );
    const failed = await fetched({ "content-type": "text/html", "content-disposition": "inline" }, PAGE, {
      status: 500,
    });
    expect(failed.context.emitted).toEqual([]);
    expect(textOf(failed.result)).toMatch(/^HTTP 500 Internal Server Error\nA & B/);
  });

  test("images and other data are stored as files", async () => {
    const bytes = Buffer.from("\x89PNG\0\x01", "latin1");
    const { result, context } = await fetched({ "content-type": "image/png" }, bytes);
    expect(result.content).toEqual([
      { type: "text", text: "thing.bin: image/png, 6 bytes." },
      { type: "file", file: "file-1", mediaType: "image/png", bytes: 6, name: "thing.bin" },
    ]);
    expect(Buffer.from(context.kept[0]!.bytes)).toEqual(bytes);
    const named = await fetched(
      { "content-type": "application/pdf", "content-disposition": 'attachment; filename="../../a b.pdf"' },
      "%PDF",
    );
    expect(named.context.kept[0]!.ref.name).toBe("..-..-a-b.pdf");
  });

  test("a long response is truncated with a note, and stored whole", async () => {
    const text = "wörd ".repeat(20_000);
    const { result, context } = await fetched({ "content-type": "text/plain; charset=utf-8" }, text);
    expect(result.content[0]).toEqual({ type: "text", text: text.slice(0, 50_000) });
    expect(textOf(result)).toContain("[Cut after 50000 of 100000 characters (120000 bytes).");
    expect(Buffer.from(context.kept[0]!.bytes).toString()).toBe(text);
    const more = await fetched({ "content-type": "text/plain" }, text, { maxBytes: 1000 });
    expect(textOf(more.result)).toContain("1000 bytes, cut at the size limit");
    expect(textOf((await fetched({ "content-type": "image/png" }, text, { maxBytes: 1000 })).result)).toContain(
      "too large to store",
    );
  });

  test("compressed responses are decompressed, up to the limit", async () => {
    for (const [encoding, pack] of [
      ["gzip", gzipSync],
      ["br", brotliCompressSync],
    ] as const) {
      const small = await fetched({ "content-type": "text/plain", "content-encoding": encoding }, pack("packed"));
      expect(textOf(small.result)).toBe("packed");
      const bomb = await fetched(
        { "content-type": "text/plain", "content-encoding": encoding },
        pack(Buffer.alloc(5_000_000, "a")),
        { maxBytes: 100_000 },
      );
      expect(bomb.context.kept[0]!.ref.bytes).toBe(100_000);
    }
    await expect(fetched({ "content-type": "text/plain", "content-encoding": "gzip" }, "not gzip")).rejects.toThrow(
      "was cut off",
    );
  });

  test("a declared character set is used", async () => {
    expect(
      textOf(
        (await fetched({ "content-type": "text/plain; charset=iso-8859-1" }, Buffer.from("caf\xe9", "latin1"))).result,
      ),
    ).toBe("café");
    const page = Buffer.from('<meta charset="windows-1252"><p>\x80 caf\xe9', "latin1");
    expect(textOf((await fetched({ "content-type": "text/html" }, page)).result)).toBe("€ café");
  });

  test.each(["<", "<a ", "<a href='", "<!--", "<script>", "&#", "[](", "<b>", "</"])(
    "a page that consists only of %j takes no time",
    (piece) => {
      expect(cpuTime(() => readableText(piece.repeat(100_000)))).toBeLessThan(5000);
    },
  );
});

describe("requests", () => {
  test("GET and HEAD need no approval, but methods with side effects do", async () => {
    const approval = http().approval as (input: object) => string;
    const asked = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"].map((method) => approval({ url: "", method }));
    expect(asked).toEqual(["never", "never", "always", "always", "always", "always"]);
    expect(approval({ url: "" })).toBe("never");
    await expect(fetchUrl({ url: "http://example.com", body: "x" })).rejects.toThrow(
      "A GET request cannot have a body",
    );
  });

  test.each([["Host"], ["Content-Length"], ["transfer-encoding"], ["Connection"], ["proxy-authorization"]])(
    "the header %s cannot be set",
    async (name) => {
      const server = await start();
      await expect(
        fetchUrl({ url: server.url, headers: { [name]: "x" } }, { allowPrivate: [server.host] }),
      ).rejects.toThrow("cannot be set");
      await expect(
        fetchUrl({ url: server.url, headers: { "x-a": "b\r\nhost: c" } }, { allowPrivate: [server.host] }),
      ).rejects.toThrow("cannot be sent");
      expect(server.seen).toEqual([]);
    },
  );

  test("a cancelled request is closed, before and during its response", async () => {
    for (const at of ["/headers", "/body"]) {
      const closed = Promise.withResolvers<void>();
      const began = Promise.withResolvers<void>();
      const server = await start((_, response) => {
        response.once("close", closed.resolve);
        if (at === "/body") response.writeHead(200, { "content-type": "text/plain" }).write("part");
        began.resolve();
      });
      const controller = new AbortController();
      const context = recordingContext({ signal: controller.signal });
      const running = fetchUrl({ url: server.url + at }, { allowPrivate: [server.host] }, context);
      await began.promise;
      controller.abort(new Error("stopped"));
      await expect(running).rejects.toThrow("stopped");
      await closed.promise;
    }
  });

  test("a server that does not exist, and one that breaks off", async () => {
    const server = await start((_, response) => {
      response.writeHead(200, { "content-length": "100" }).write("part", () => response.destroy());
    });
    await expect(fetchUrl({ url: server.url }, { allowPrivate: [server.host] })).rejects.toThrow("was cut off");
    const gone = await startServer();
    await gone.close();
    await expect(fetchUrl({ url: gone.url }, { allowPrivate: [gone.host] })).rejects.toThrow(
      "did not respond (ECONNREFUSED)",
    );
  });
});
