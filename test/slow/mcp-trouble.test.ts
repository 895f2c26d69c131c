import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, describe, expect, test } from "vitest";
import { mcp } from "../../src/tools/mcp.ts";
import { guardedFetch } from "../../src/tools/mcp/guarded-fetch.ts";
import { inFlight } from "../../src/tools/mcp/in-flight.ts";
import { names } from "../../src/tools/mcp/names.ts";
import { type Call, calling, everything, everythingHttp, ownServer, textOf, toolkit } from "../tools/mcp-servers.ts";

const echo = (message: string): Call => ["all__echo", { message }];
const long: Call = ["all__trigger-long-running-operation", { duration: 600, steps: 6000 }];
const shared = mcp({ servers: { own: ownServer("test/fixtures/mcp-server.ts") } });
afterAll(() => shared.close());

describe("a server that dies", () => {
  test("killed during a call over stdio: the call fails, the server is restarted, the next call works", async () => {
    const server = everything();
    const tools = toolkit({ servers: { all: server } });
    let killed = 0;
    const { ends, all, text } = await calling(tools, [[long], [echo("again")]], ({ type }) => {
      if (type !== "tool-progress" || killed !== 0) return;
      killed = server.pid();
      process.kill(killed, "SIGKILL");
    });
    expect(ends[0]).toMatchObject({
      outcome: "error",
      error: {
        code: "mcp-server-lost",
        retryable: true,
        message: expect.stringMatching(/^The MCP server all disconnected during the call/),
      },
    });
    expect(ends[1]).toMatchObject({ outcome: "ok" });
    expect(textOf(ends[1])).toBe("Echo: again");
    expect(server.pid()).not.toBe(killed);
    expect(all("notice")).toMatchObject([
      { level: "warning", text: expect.stringMatching(/^The MCP server all disconnected .* has reconnected\.$/) },
    ]);
    expect(text()).toBe("done");
  });

  test("killed during a call over HTTP, and away for a while", async () => {
    const first = await everythingHttp();
    const tools = toolkit({ servers: { all: { url: first.url } } });
    const { ends, all, requests } = await calling(tools, [[long], [echo("never offered")]], async ({ type }) => {
      if (type === "tool-progress") await first.kill();
    });
    expect(ends).toHaveLength(1);
    expect(ends[0]).toMatchObject({ outcome: "error", error: { code: "mcp-server-lost" } });
    expect(all("notice")).toMatchObject([
      {
        level: "warning",
        text: expect.stringMatching(/^The MCP server all is down: .*ECONNREFUSED.* The run continues without it\.$/),
      },
    ]);
    expect(requests).toHaveLength(2);
    expect(requests[1]?.tools ?? []).toEqual([]);

    await everythingHttp(first.port);
    const later: string[] = [];
    while (later.length === 0) later.push(...(await calling(tools, [[echo("back")]])).ends.map(textOf));
    expect(later).toEqual(["Echo: back"]);
  });

  test("restarted between two steps: a call to a lost session is sent again", async () => {
    const first = await everythingHttp();
    const tools = toolkit({ servers: { all: { url: first.url } } });
    let restarted = false;
    const { ends } = await calling(tools, [[echo("one")], [echo("two")]], async (event) => {
      if (event.type !== "tool-start" || event.call === undefined || restarted) return;
      restarted = true;
      await first.kill();
      await everythingHttp(first.port);
    });
    expect(ends.map(textOf)).toEqual(["Echo: one", "Echo: two"]);
  });

  test("an unused server is stopped after a while, and started again when it is needed", async () => {
    const server = everything();
    const tools = toolkit({ servers: { all: server }, idleMs: 1 });
    await calling(tools, [[echo("one")]]);
    const pid = server.pid();
    while (isAlive(pid)) await new Promise((tick) => setTimeout(tick, 20));
    const { ends, all } = await calling(tools, [[echo("two")]]);
    expect(textOf(ends[0])).toBe("Echo: two");
    expect(all("notice")).toEqual([]);
    expect(server.pid()).not.toBe(pid);
  });

  test("a server that is down costs a notice and its own tools, nothing else", async () => {
    const nothing = { command: "runcast-no-such-program", env: { TOKEN: "secret-secret" } };
    const tools = toolkit({ servers: { none: nothing, all: everything(), gone: { url: "http://127.0.0.1:9/mcp" } } });
    const { ends, all, events } = await calling(tools, [[echo("one")], [echo("two")]]);
    expect(ends.map(textOf)).toEqual(["Echo: one", "Echo: two"]);
    const notices = all("notice").map(({ text }) => text);
    expect(notices).toHaveLength(2);
    expect(notices).toContainEqual(expect.stringMatching(/^The MCP server none is down: .*ENOENT/));
    expect(notices).toContainEqual(expect.stringMatching(/^The MCP server gone is down: /));
    expect(JSON.stringify(events)).not.toContain("secret-secret");
    expect(all("status").map(({ text }) => text)).toContain("Connecting to none, all, gone…");
  });
});

describe("other abilities of a server", () => {
  test("its warnings are the call's stderr, and lower log levels are not shown", async () => {
    const { all, ends } = await calling(shared, [[["own__log"]]]);
    expect(textOf(ends[0])).toBe("logged");
    expect(all("tool-output-delta")).toMatchObject([
      { stream: "stderr", delta: "warning: sky: a warning\n" },
      { stream: "stderr", delta: 'error: sky: {"code":7}\n' },
    ]);
  });

  test("pages of tools are shown, with the origins they need", async () => {
    const { all } = await calling(shared, [[["own__show"], ["own__lost-page"], ["own__embedded"]]]);
    expect(all("embed")).toHaveLength(2);
    expect(all("embed")).toContainEqual(
      expect.objectContaining({ html: "<h1>Map</h1>", title: "Weather map", origins: ["https://tiles.example"] }),
    );
    expect(all("embed")).toContainEqual(expect.objectContaining({ html: "<b>inline</b>" }));
    expect(all("notice")).toMatchObject([
      { level: "warning", text: expect.stringContaining("There is no ui://weather/none") },
    ]);
    expect(all("tool-end").map(({ outcome }) => outcome)).toEqual(["ok", "ok", "ok"]);
  });

  test("sound, progress without a total, and a schema that only it can check", async () => {
    const { ends, all } = await calling(shared, [[["own__sound"]], [["own__steps"]], [["own__odd", { a: 1 }]]]);
    expect(ends[0]?.content).toMatchObject([{ type: "file", mediaType: "audio/wav", bytes: 4 }]);
    expect(all("tool-progress")).toMatchObject([
      { value: 1, note: "step 1" },
      { value: 2, note: "step 2" },
    ]);
    expect(textOf(ends[2])).toBe('odd {"a":1}');
  });

  test("it cannot use the model", async () => {
    const { ends } = await calling(shared, [[["own__sample"]]]);
    expect(ends[0]).toMatchObject({ outcome: "error" });
    expect(textOf(ends[0])).toContain("sampling");
  });

  test("new tools are available in the next step, and tools for pages never are", async () => {
    const { ends, requests } = await calling(shared, [[["own__grow"]], [["own__grown"]]]);
    expect(ends.map(textOf)).toEqual(["grew", "grown {}"]);
    const offered = requests.map(({ tools }) => tools?.map(({ name }) => name) ?? []);
    expect(offered[0]).not.toContain("own__grown");
    expect(offered[1]).toContain("own__grown");
    expect(offered.flat().filter((name) => name.includes("pages"))).toEqual([]);
    for (const name of offered[0]!) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    expect(new Set(offered[0]).size).toBe(offered[0]!.length);
  });

  test.each([
    ["never", []],
    ["destructive", ["own__wipe", "own__log"]],
    ["always", ["own__read", "own__wipe", "own__log"]],
  ] as const)("approval %s", async (approval, asked) => {
    const tools = toolkit({ servers: { own: ownServer("test/fixtures/mcp-server.ts") }, approval });
    const { all } = await calling(tools, [[["own__read"]], [["own__wipe"]], [["own__log"]]], (event, { answer }) => {
      if (event.type === "ask-start") answer(event.ask, { allow: true });
    });
    const nameOf = new Map(all("tool-start").map(({ call, name }) => [call, name]));
    expect(all("ask-start").map(({ call }) => nameOf.get(call!))).toEqual([...asked]);
    expect(all("tool-end").map(({ outcome }) => outcome)).toEqual(["ok", "ok", "ok"]);
  });

  test("a call that is allowed for the rest of the run does not ask again", async () => {
    const tools = toolkit({ servers: { own: ownServer("test/fixtures/mcp-server.ts") }, approval: "always" });
    const { all } = await calling(tools, [[["own__read"]], [["own__grow"]], [["own__read"]]], (event, { answer }) => {
      if (event.type === "ask-start") answer(event.ask, { allow: true, always: true });
    });
    expect(all("ask-start")).toHaveLength(2);
  });
});

describe("servers that a request names", () => {
  test("a private address needs allowPrivate", async () => {
    const { url, port } = await everythingHttp();
    const servers = [{ name: "all", url }];
    const refused = await calling(toolkit({}), [], () => {}, { servers });
    expect(refused.all("notice")).toMatchObject([
      { level: "warning", text: expect.stringContaining(`allowPrivate: ["127.0.0.1:${port}"]`) },
    ]);
    const allowed = await calling(toolkit({ allowPrivate: [`127.0.0.1:${port}`] }), [[echo("hi")]], () => {}, {
      servers,
    });
    expect(textOf(allowed.ends[0])).toBe("Echo: hi");
    expect(allowed.all("notice")).toEqual([]);
    const off = await calling(toolkit({ fromRequest: false }), [[echo("hi")]], () => {}, { servers });
    expect(off.ends).toEqual([]);
  });

  test("the key comes from the secrets, and appears nowhere", async () => {
    const keys: (string | undefined)[] = [];
    const server = createServer(({ headers }, response) => {
      keys.push(headers.authorization);
      response.writeHead(401).end(`no entry for ${headers.authorization}`);
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as AddressInfo;
    const servers = [{ name: "my notes", url: `http://127.0.0.1:${port}/mcp` }];
    const secrets = { MCP_MY_NOTES_KEY: "very-secret-key" };
    const tools = toolkit({ allowPrivate: [`127.0.0.1:${port}`] });
    const { all, events } = await calling(tools, [], () => {}, { servers, secrets });
    server.close();
    expect(new Set(keys)).toEqual(new Set(["Bearer very-secret-key"]));
    expect(all("notice")[0]?.text).toMatch(/^The MCP server my notes is down: .*401/);
    expect(JSON.stringify(events)).not.toContain("very-secret-key");
  });

  test("a request can omit a configured server, but never replace it", async () => {
    const tools = () => toolkit({ servers: { all: everything() } });
    const off = await calling(tools(), [[echo("hi")]], () => {}, {
      servers: [{ name: "all", url: "http://127.0.0.1:9/", enabled: false }],
    });
    expect(off.ends).toEqual([]);
    const same = await calling(tools(), [[echo("hi")]], () => {}, {
      servers: [{ name: "all", url: "http://127.0.0.1:9/" }],
    });
    expect(textOf(same.ends[0])).toBe("Echo: hi");
  });
});

test.each([
  "http://127.0.0.1/",
  "http://127.1/",
  "http://0x7f000001/",
  "http://0.0.0.0/",
  "http://10.1.2.3/",
  "http://169.254.169.254/",
  "http://192.168.0.1/",
  "http://172.31.0.1/",
  "http://100.64.0.1/",
  "http://[::1]/",
  "http://[::]/",
  "http://[::ffff:127.0.0.1]/",
  "http://[fd00::1]/",
  "http://[fe80::1]/",
  "http://[64:ff9b::7f00:1]/",
  "http://localhost/",
])("%s is private", async (url) => {
  await expect(guardedFetch([])(url)).rejects.toThrow(/is a private address/);
});

test("names are safe, short and unique", () => {
  const unique = names();
  expect(unique("a__b")).toBe("a__b");
  const others = ["a__b", "a.b", "a/b", `a__${"x".repeat(100)}`, `a__${"x".repeat(101)}`, "ü__é"].map(unique);
  expect(new Set(["a__b", ...others]).size).toBe(7);
  for (const name of others) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
});

test("the wrong user is never asked when two runs are possible", async () => {
  const calls = inFlight();
  const call = (run: string) => ({
    context: { run } as never,
    token: "",
    bounds: { abandoned: new AbortController().signal } as never,
  });
  const [a, b, c] = [call("1"), call("1"), call("2")];
  const { promise, resolve } = Promise.withResolvers<void>();
  const run = (which: typeof a) => calls.run(which!, () => promise);
  expect(calls.owner()).toBeUndefined();
  const running = [run(a), run(b)];
  expect(calls.owner()).toBe(b);
  running.push(run(c));
  expect(calls.owner()).toBeUndefined();
  await calls.run(a!, async () => {
    expect(calls.owner()).toBe(a);
    expect(calls.apart(() => calls.owner())).toBeUndefined();
  });
  resolve();
  await Promise.all(running);
});

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};
