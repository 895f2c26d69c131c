import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { refusePort, root, useCommandLine } from "../command-line.ts";
import { refuses, startScriptedServer, streams } from "../scripted-server.ts";

const { runcast, serve, home } = useCommandLine();
const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const configured = async (name: string, text: string): Promise<string> => {
  const directory = await home(name);
  await writeFile(path.join(directory, "runcast.config.mjs"), text);
  return directory;
};

const refusedPort = async (): Promise<number> => {
  const { port, close } = await refusePort();
  closers.push(close);
  return port;
};

const source = (name: string) => JSON.stringify(path.join(root, `src/${name}.ts`));

describe("a refusal is shown with the server's message and a hint", () => {
  test("an agent's error is reported after a few retries", async () => {
    const port = await refusedPort();
    const text = `import { native } from ${source("dialects/native")};
      import { http } from ${source("sources/http")};
      export default { log: "memory", agents: {
        far: http({ dialect: native, url: "http://127.0.0.1:${port}" }),
        broken: async function* () { throw new Error("no model"); },
      } };`;
    const { url } = await serve([], { cwd: await configured("fault", text) });
    const far = await runcast(["watch", url, "--message", "hi"]);
    const words = `the upstream server cannot be reached: .*\\(check that it is running at http://127\\.0\\.0\\.1:${port}\\)`;
    expect(far.error).toMatch(new RegExp(`^runcast watch: ${words}\n$`));
    expect(far.out).toMatch(new RegExp(`^\\(the server responded: ${words}; trying again\\)\n$`));
    expect(far.code).toBe(1);
    const broken = await runcast(["watch", url, "--message", "hi", "--agent", "broken"]);
    expect(broken).toMatchObject({
      error: "runcast watch: the server failed to handle this request (see the server's output for the reason)\n",
      code: 1,
    });
    const unknown = await runcast(["watch", url, "--message", "hi", "--agent", "nope"]);
    expect(unknown).toMatchObject({
      error: "runcast watch: there is no agent nope (available agents: far, broken)\n",
      out: "",
    });
  });

  test("a cut stream is retried, and the server's messages are shown meanwhile", async () => {
    const at = Date.now();
    const frame = (seq: number, event: object) => `id: ${seq}\ndata: ${JSON.stringify({ ...event, at })}\n\n`;
    const busy = refuses(503, { code: "busy", message: "the log is full", hint: "make room" });
    const { url, close } = await startScriptedServer(
      streams(frame(1, { type: "run-start", protocol: 1, run: "r", name: "test" })),
      busy,
      busy,
      busy,
      streams(frame(2, { type: "run-end", outcome: "done" })),
    );
    closers.push(close);
    const { out, code } = await runcast(["watch", `${url}/runs/r`]);
    expect(out).toContain("(connection lost: the stream ended before the run did; trying again)\n");
    expect(out).toContain("(the server responded: the log is full (make room); trying again)\n");
    expect(code).toBe(0);
  });

  test("a missing or wrong key and an unknown run are reported, with how to send a key with curl", async () => {
    const cwd = await configured("key", `export default { key: "correct-horse", log: "memory" }`);
    const { url, printed } = await serve([], { cwd });
    const line = (access: string) =>
      `try     curl -N -X POST ${url}/runs ${access} -H 'content-type: application/json' -d '{"message":"hello"}'`;
    expect(printed).toContain(line("-H 'authorization: Bearer <key>'"));
    for (const command of ["watch", "export", "check", "replay"]) {
      const without = await runcast([command, `${url}/runs/r`]);
      expect(without.error).toBe(
        `runcast ${command}: this server requires a key (pass --key <key>, or set RUNCAST_KEY)\n`,
      );
    }
    const wrong = await runcast(["export", `${url}/runs/r`, "--key", "wrong-horse"]);
    expect(wrong.error).toContain("this key is not valid for this server (check --key <key>, or RUNCAST_KEY");
    const unknown = await runcast(["watch", `${url}/runs/nosuchrun`, "--key", "correct-horse"]);
    expect(unknown.error).toContain(`there is no run nosuchrun (${url}/runs lists the stored runs)`);
    const env = { RUNCAST_KEY: "correct-horse" };
    const known = await serve([], { cwd, env });
    expect(known.printed).toContain('/runs -H "authorization: Bearer $RUNCAST_KEY" -H');
  });

  test("a server that is not Runcast is reported", async () => {
    const { url, close } = await startScriptedServer(refuses(404, "<p>nothing here"));
    closers.push(close);
    for (const command of ["watch", "export"])
      expect((await runcast([command, `${url}/runs/r`])).error).toBe(
        `runcast ${command}: the server returned HTTP 404 (check that the server at ${url} is Runcast)\n`,
      );
  });
});

describe("without a server", () => {
  test("the port is named, with how to start a server there from a clone", async () => {
    const port = await refusedPort();
    const url = `http://127.0.0.1:${port}`;
    const watched = await runcast(["watch", `${url}/runs/x`]);
    const message = `no server responds at ${url}; check the port, or start one there with: npm start -- --port ${port}\n`;
    expect(watched.error).toBe(`runcast watch: ${message}`);
    expect(watched.out).toMatch(/^\(no response yet: .*ECONNREFUSED.*; trying again\)\n$/);
    expect((await runcast(["export", `${url}/runs/x`])).error).toBe(`runcast export: ${message}`);
  });

  test("a port that fetch refuses is named", async () => {
    const { error } = await runcast(["export", "http://127.0.0.1:9/runs/x"]);
    expect(error).toBe("runcast export: HTTP clients block port 9; choose another port\n");
  });

  test("a host that does not exist is named", async () => {
    const { error } = await runcast(["export", "http://nosuch.invalid/runs/x"]);
    expect(error).toBe(
      "runcast export: the host nosuch.invalid was not found; check the address http://nosuch.invalid\n",
    );
  });

  test("a run id that is not a file is looked up on the server, and both are mentioned", async () => {
    const env = { RUNCAST_URL: `http://127.0.0.1:${await refusedPort()}` };
    for (const command of ["check", "replay"])
      expect((await runcast([command, "nosuchrun"], { env })).error).toContain(
        `runcast ${command}: there is no file nosuchrun, and it cannot be read as a run: no server responds at ${env.RUNCAST_URL}; `,
      );
  });
});

test("check and replay read a run by its URL or its id", async () => {
  const { url } = await serve(["--log", "memory"]);
  const { out, code } = await runcast(["watch", url, "--message", "hello"]);
  const run = /run (\w+)/.exec(out)![1]!;
  expect(code).toBe(0);
  expect((await runcast(["replay", `${url}/runs/${run}`, "--speed", "max"])).out).toBe(out);
  const env = { RUNCAST_URL: url };
  expect((await runcast(["replay", run, "--speed", "max"], { env })).out).toBe(out);
  expect((await runcast(["check", run], { env })).out).toMatch(/^ok: /);
});

describe("mistakes in a command line are reported with a correction", () => {
  test.each<[string[], string, Record<string, string>?]>([
    [["watch", "http://127.0.0.1:9", "--message", " "], "--message is empty: pass a message, such as"],
    [["watch", "localhost:4511"], "nor an address: http:// is missing, as in http://localhost:4511"],
    [["watch", "runs.example.org/runs/x"], ": http:// is missing, as in http://runs.example.org/runs/x"],
    [["watch", "golden/run.jsonl"], "nor an address such as http://127.0.0.1:4400/runs/<run>"],
    [["watch", "x"], "RUNCAST_URL is nonsense, which is not an address such as", { RUNCAST_URL: "nonsense" }],
    [["export", "x"], ": http:// is missing, as in http://localhost:4511", { RUNCAST_URL: "localhost:4511" }],
    [["runs", "--url", "nonsense"], "runcast runs: --url is nonsense, which is not an address such as"],
    [["keys", "list", "--url", "localhost:4511"], ": http:// is missing, as in http://localhost:4511"],
    [["backup", "x.tar"], "RUNCAST_URL is nonsense, which is not an address", { RUNCAST_URL: "nonsense" }],
    [["help", "wach"], "runcast: unknown command wach; did you mean watch?\nnpm run runcast -- help lists"],
  ])("%j", async (args, message, env = {}) => {
    const { error, out, code } = await runcast(args, { env });
    expect(error).toContain(message);
    expect([out, code]).toEqual(["", 2]);
  });

  test("unreadable and unwritable files are reported", async () => {
    const cwd = await home("files");
    const { url } = await serve(["--log", "memory"]);
    const run = /run (\w+)/.exec((await runcast(["watch", url, "--message", "hello"])).out)![1]!;
    const exported = (file: string) => runcast(["export", `${url}/runs/${run}`, "--output", file], { cwd });
    expect(await exported("nowhere/x.jsonl")).toMatchObject({
      error:
        "runcast export: cannot write nowhere/x.jsonl: there is no directory nowhere; create it, or choose another file\n",
      code: 1,
    });
    await mkdir(path.join(cwd, "there"));
    for (const args of [
      ["check", "there"],
      ["replay", "there"],
    ])
      expect((await runcast(args, { cwd })).error).toContain("there is a directory; name a file in it\n");
    expect((await exported("there")).error).toBe("runcast export: there is a directory; name a file in it\n");
  });

  test("help for one command", async () => {
    expect(await runcast(["help", "watch"])).toEqual(await runcast(["watch", "--help"]));
  });
});

describe("a configuration that cannot be loaded", () => {
  const reported = async (files: Readonly<Record<string, string>>): Promise<string> => {
    const cwd = await home("unloadable");
    for (const [name, text] of Object.entries(files)) await writeFile(path.join(cwd, name), text);
    const { error, out, code } = await runcast(["serve"], { cwd });
    expect([out, code]).toEqual(["", 1]);
    return error.replace(/^runcast serve: /, "").trimEnd();
  };

  test("a syntax error is reported with its file and line", async () => {
    const wrong = "const x = 1;\nexport default { agents: ] };";
    expect(await reported({ "runcast.config.ts": wrong })).toBe(
      "runcast.config.ts:2: cannot be loaded: Expression expected",
    );
    expect(await reported({ "runcast.config.mjs": wrong })).toBe(
      "runcast.config.mjs:2: cannot be loaded: Unexpected token ']'",
    );
    const imported = { "runcast.config.ts": 'import "./tools.ts"; export default {};', "tools.ts": wrong };
    expect(await reported(imported)).toBe("runcast.config.ts: cannot be loaded: tools.ts:2: Expression expected");
  });

  test("TypeScript that Node.js cannot run is reported with what to do", async () => {
    expect(await reported({ "runcast.config.ts": "enum Size { Small }\nexport default {};" })).toMatch(
      /^runcast\.config\.ts:1: cannot be loaded: .*enum.*; Node\.js only removes types, so use syntax/,
    );
  });

  test.each([
    ["runcast/sources/acpp", "runcast/sources/acp"],
    ["runcast/source/acp", "runcast/sources/acp"],
    ["runcast/dialects/agui", "runcast/dialects/ag-ui"],
  ])("a misspelled module is named, with the one that was probably meant: %s", async (wrong, right) => {
    expect(await reported({ "runcast.config.ts": `import "${wrong}"; export default {};` })).toBe(
      `runcast.config.ts: cannot be loaded: there is no module ${wrong}; did you mean ${right}?`,
    );
  });

  test("a directory in place of a file is named, as Docker creates it for a missing file", async () => {
    const cwd = await home("directory");
    await mkdir(path.join(cwd, "runcast.config.ts"));
    expect((await runcast(["serve"], { cwd })).error).toContain("runcast.config.ts: this is a directory, not a file\n");
    await mkdir(path.join(cwd, ".env"));
    expect((await runcast(["serve"], { cwd })).error).toContain(".env is a directory, not a file; remove it\n");
  });
});

describe("a server that cannot start", () => {
  test("explains what to do about a log in use, and that the port is taken too, and export names the server to ask", async () => {
    const cwd = await home("twice");
    const { url } = await serve([], { cwd });
    const { port } = new URL(url);
    const again = await runcast(["serve", "--port", port], { cwd });
    const what = `the log in ${path.join(cwd, ".runcast")} is in use by`;
    const todo = "stop that one, start this one in another directory, or keep its runs in memory: --log memory\n";
    expect(again).toMatchObject({
      error: `runcast serve: ${what} another Runcast server (port ${port} is also in use, probably by the same process): ${todo}`,
      code: 1,
    });
    const elsewhere = await runcast(["serve", "--port", "0"], { cwd });
    expect(elsewhere.error).toBe(`runcast serve: ${what} another Runcast server: ${todo}`);
    const exported = await runcast(["export", "x"], { cwd, env: { RUNCAST_URL: "http://127.0.0.1:9" } });
    expect(exported).toMatchObject({
      error: `runcast export: ${what} a running server: export from that server, with http://<host>:<port>/runs/x or by setting RUNCAST_URL\n`,
      code: 1,
    });
  });

  test("reports a missing provider key by name at startup, for each agent", async () => {
    const text = `
      import { agent } from ${source("sources/agent")};
      import { provider } from ${source("models/provider")};
      const model = "anthropic/claude-sonnet-4-5";
      export default { log: "memory", agents: {
        bare: agent({ model }),
        given: agent({ model, provider: provider({ anthropic: { apiKey: "a-key" } }) }),
        boss: agent({ model: "demo", agents: { helper: { description: "helps", model: "groq/llama" } } }),
      } };`;
    const env = { ANTHROPIC_API_KEY: "", GROQ_API_KEY: "" };
    const { printed, url } = await serve([], { cwd: await configured("unset", text), env });
    expect(printed.match(/^ {2}warning .*$/gm)).toEqual([
      expect.stringMatching(
        /^ {2}warning bare: .* needs a key, but ANTHROPIC_API_KEY is not set\. Set ANTHROPIC_API_KEY/,
      ),
      expect.stringMatching(/^ {2}warning boss: .* but GROQ_API_KEY is not set\./),
    ]);
    // A request may still contain its own key.
    expect((await fetch(`${url}/ready`)).status).toBe(200);
  });

  test("names an invalid address, and an undefined key", async () => {
    const nonsense = await runcast(["serve", "--host", "nonsense.invalid", "--log", "memory"]);
    expect(nonsense.error).toBe(
      "runcast serve: nonsense.invalid is not an address of this machine; choose another: --host 127.0.0.1\n",
    );
    const text = `export default { host: "0.0.0.0", key: process.env.RUNCAST_KEY, log: "memory" }`;
    const { error } = await runcast(["serve"], { cwd: await configured("undefined-key", text) });
    expect(error).toMatch(
      /^runcast serve: runcast\.config\.mjs: key is undefined, and listening on 0\.0\.0\.0, .* needs one; set it/,
    );
  });
});

describe("a log in an engine", () => {
  test("an unreachable engine is named without its password", async () => {
    const port = await refusedPort();
    const { error, code } = await runcast(["serve", "--log", `redis://ada:secret-word@127.0.0.1:${port}`]);
    expect(error).toMatch(new RegExp(`^runcast serve: cannot reach Redis at redis://127\\.0\\.0\\.1:${port}: .+\n$`));
    expect(error).not.toContain("secret-word");
    expect(code).toBe(1);
  });
});
