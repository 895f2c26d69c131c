import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { freePort, greeting, occupyPort, root, useCommandLine } from "../command-line.ts";

const { run, launch, runcast, serve, home: newHome } = useCommandLine();
const golden = (name: string) => path.join(root, `golden/runs/${name}.jsonl`);
const { version } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as { version: string };

const post = (url: string, body: object, accept = "text/event-stream") =>
  fetch(`${url}/runs`, {
    method: "POST",
    headers: { "content-type": "application/json", accept },
    body: JSON.stringify(body),
  });

describe("the command line", () => {
  test("prints help", async () => {
    const { out, code } = await runcast(["--help"]);
    expect(code).toBe(0);
    for (const name of ["serve", "watch", "replay", "export", "check"]) {
      expect(out).toContain(`  ${name}`);
      const help = await runcast([name, "--help"]);
      const usage = name === "serve" ? "Usage: npm start -- [options]" : `Usage: npm run runcast -- ${name} <`;
      expect(help.out.slice(0, usage.length)).toBe(usage);
      expect([help.code, Math.max(...help.out.split("\n").map(({ length }) => length))]).toEqual([
        0,
        expect.toSatisfy((width: number) => width <= 100),
      ]);
    }
    expect(await runcast(["--version"])).toMatchObject({ out: `${version}\n`, code: 0 });
  });

  test.each([
    [["serv"], "runcast: unknown command serv; did you mean serve?"],
    [["serve", "--prot", "80"], "runcast serve: unknown option --prot; did you mean --port?"],
    [["--prot", "80"], "runcast serve: unknown option --prot; did you mean --port?"],
    [["serve", "--port"], "runcast serve: --port needs a value: --port <number>"],
    [["serve", "--port", "http"], "runcast serve: --port must be a number from 0 to 65535, not http"],
    [["replay"], "runcast replay: <file|url|run> is missing"],
    [["check", "a", "b"], "runcast check: unexpected argument b"],
    [["replay", "x.jsonl", "--speed", "fast"], "runcast replay: --speed must be a number above 0, or max, not fast"],
    [["watch", "not a url"], "runcast watch: not a url is neither a run's id nor an address"],
    [["watch", "http://127.0.0.1:1"], "does not name a run: use …/runs/<run>, or --message"],
    [
      ["watch", "known", "--message", "more"],
      "--message starts a new run, but known names an existing one: leave out one",
    ],
  ])("%j is rejected with a reason and exit code 2", async (args, message) => {
    const { error, code, out } = await runcast(args);
    expect(error).toContain(message);
    expect([code, out]).toEqual([2, ""]);
  });
});

describe("check", () => {
  const lines = readFileSync(golden("everything"), "utf8").trimEnd().split("\n");
  const checked = (text: string) => runcast(["check", "-"], { input: text });

  test("accepts a complete run and counts its content", async () => {
    const { out, code } = await runcast(["check", golden("everything")]);
    expect(out).toMatch(/^ok: \d+ entries, 5 steps, 5 calls, 1 sub-agent, done in [\d.]+ s\n$/);
    expect(code).toBe(0);
  });

  test.each<[string, (all: string[]) => string[], RegExp]>([
    [
      "a gap",
      (all) => all.toSpliced(4, 1),
      /^standard input:5: seq 6: seq 6 follows 4: a log must count from 1 without gaps/,
    ],
    [
      "a cut",
      (all) => all.slice(0, 10),
      /^standard input:10: after seq 10: the log ends without a run-end \(it was cut off/,
    ],
    ["data that is not JSON", (all) => all.with(2, '{"seq":3,'), /^standard input:3: this is not JSON: /],
    [
      "an unknown event",
      (all) => all.with(1, all[1]!.replace('"step-start"', '"step-strat"')),
      /^standard input:2: seq 2: there is no event type "step-strat"; did you mean step-start\?/,
    ],
    [
      "a field of the wrong type",
      (all) => all.with(1, all[1]!.replace(/"step":"[^"]*"/, '"step":7')),
      /^standard input:2: seq 2: step-start step: expected string, received number/,
    ],
    ["no entries", () => [""], /^standard input has no entries/],
    [
      "a broken rule",
      (all) => all.toSpliced(1, 1).map((line, index) => line.replace(/"seq":\d+/, `"seq":${index + 1}`)),
      /^standard input:2: seq 2: \S+/,
    ],
  ])("explains %s", async (_, edit, message) => {
    const { error, out, code } = await checked(`${edit([...lines]).join("\n")}\n`);
    expect(error).toMatch(message);
    expect([out, code]).toEqual(["", 1]);
  });

  test("reports a missing file", async () => {
    expect(await runcast(["check", "nowhere.jsonl"])).toMatchObject({
      error: "runcast check: there is no file nowhere.jsonl\n",
      code: 1,
    });
  });
});

describe("replay", () => {
  test("plays a file as plain lines without a terminal", async () => {
    const { out, code } = await runcast(["replay", golden("everything"), "--speed", "max"]);
    expect(out).toContain("> Hello\n");
    expect(out).toMatch(/✗ weather_lookup .*\n {2}Could not get the weather in Lisbon/);
    expect(out).toMatch(/✓ Finished {2}[\d.]+ s/);
    expect(out).not.toContain("\x1b");
    expect(code).toBe(0);
  });

  test("uses the log's times, a speed and a start entry, and its exit code reflects the outcome", async () => {
    const from = await runcast(["replay", golden("answer"), "--speed", "20", "--from", "5"]);
    const whole = await runcast(["replay", golden("answer"), "--speed", "max"]);
    expect(from).toEqual(whole);
    for (const run of ["crash", "cut-at-limit", "filtered"])
      expect((await runcast(["replay", golden(run), "--speed", "max"])).code, run).toBe(1);
  });
});

describe("serve", () => {
  test("reports its setup, streams a run that check accepts, exports, watches, and stops on request", async () => {
    const home = await newHome("serve");
    const { child, printed, url } = await serve([], { cwd: home });
    expect(printed).toContain(`runcast ${version}  ${url}`);
    expect(printed).toMatch(/agents {2}demo {2}demo \(scripted\)/);
    expect(printed).toMatch(/log +sqlite in .*\.runcast: 0 runs\n +survives /);
    expect(printed).toMatch(
      / {2}page {4}(open http:\S+ in a browser|not built; run npm run build, then restart the server)\n/,
    );
    expect(printed).toContain(
      `curl -N -X POST ${url}/runs -H 'content-type: application/json' -d '{"message":"hello"}'`,
    );

    // Some readers end a line at the separator in the thread's name.
    const response = await post(url, { message: "hello", run: "hello-1", thread: "first\u2028second" });
    const capture = path.join(home, "capture.sse");
    await writeFile(capture, await response.text());
    expect((await runcast(["check", capture])).out).toMatch(/^ok: \d+ entries, 5 steps, 5 calls/);
    expect((await runcast(["check", `${url}/runs/hello-1`])).out).toMatch(/^ok: /);

    const watched = await runcast(["watch", `${url}/runs/hello-1`]);
    expect(watched).toMatchObject({ code: 0, error: "" });
    expect(watched.out).toContain("You wrote: “hello”.");
    expect(watched.out).not.toContain("\x1b");
    const started = await runcast(["watch", url, "--message", "hi there"]);
    expect(started.out).toContain("You wrote: “hi there”.");
    expect(started.code).toBe(0);

    const file = path.join(home, "hello.jsonl");
    expect((await runcast(["export", `${url}/runs/hello-1`, "--output", file])).code).toBe(0);
    expect((await runcast(["replay", file, "--speed", "max"])).out).toBe(watched.out);
    const html = (await runcast(["export", `${url}/runs/hello-1`, "--html"])).out;
    expect(html).toMatch(/^<!doctype html>[^]*<run-view controls>[^]*<\/html>\n$/);
    const missing = await runcast(["export", `${url}/runs/nobody`]);
    expect(missing).toMatchObject({ code: 1, error: expect.stringContaining("there is no run nobody") });

    child.kill("SIGINT");
    await once(child, "exit");
    expect(child.exitCode).toBe(0);
    // No server is running now, so the id is looked up in the directory.
    const offline = await runcast(["export", "hello-1"], { cwd: home, env: { RUNCAST_URL: "http://127.0.0.1:9" } });
    expect(offline.out).toBe(readFileSync(file, "utf8"));
    const page = await runcast(["export", "hello-1", "--html"], {
      cwd: home,
      env: { RUNCAST_URL: "http://127.0.0.1:9" },
    });
    expect(page.out).toBe(html);
    expect((await serve([], { cwd: home })).printed).toMatch(/\.runcast: 2 runs\n/);
  });

  test("a run of an earlier process that was killed continues and is counted", async () => {
    const home = await newHome("kill");
    const { child, url } = await serve([], { cwd: home, env: { RUNCAST_DEMO_SPEED: "1" } });
    await post(url, { message: "Hello", run: "slow" }, "application/json");
    child.kill("SIGKILL");
    await once(child, "exit");
    const again = await serve([], { cwd: home, env: { RUNCAST_DEMO_SPEED: "100" } });
    expect(again.printed).toContain("1 run, 1 interrupted run recovered");
    const watched = await runcast(["watch", `${again.url}/runs/slow`]);
    expect(watched).toMatchObject({ code: 0, out: expect.stringContaining("✓ Finished") });
    const exported = await runcast(["export", `${again.url}/runs/slow`]);
    expect(exported.out).toContain('"type":"run-resume"');
  });

  test("a port in use is named, with how to choose another", async () => {
    const { port, close } = await occupyPort();
    const flagged = await runcast(["serve", "--log", "memory", "--port", String(port)]);
    expect(flagged).toMatchObject({
      code: 1,
      error: expect.stringContaining(`port ${port} is in use; choose another: npm start -- --port `),
    });
    const fromEnvironment = await runcast(["serve", "--log", "memory"], { env: { PORT: String(port) } });
    expect(fromEnvironment.error).toContain(`port ${port} is in use`);
    close();
  });

  test("a configuration is loaded, its mistakes are reported, flags override it, and retention applies", async () => {
    const home = await newHome("config");
    await writeFile(path.join(home, "runcast.config.mjs"), "export default { prot: 1 }");
    const wrong = await runcast(["serve"], { cwd: home });
    expect(wrong).toMatchObject({
      code: 1,
      error: "runcast serve: runcast.config.mjs: prot is not a setting; did you mean port?\n",
    });
    await writeFile(path.join(home, "runcast.config.mjs"), "export default {};\nthrow new Error('no key');");
    const broken = await runcast(["serve"], { cwd: home });
    expect(broken).toMatchObject({ code: 1, error: "runcast serve: runcast.config.mjs:2: cannot be loaded: no key\n" });
    const source = `async function* () { yield { type: "step-start", step: "s" }; }`;
    const mine = `Object.assign(${source}, { about: { model: "none" } })`;
    const text = `export default { port: 1, agents: { mine: ${mine} }, retention: { maxRuns: 1 } }`;
    await writeFile(path.join(home, "runcast.config.mjs"), text);
    const first = await serve([], { cwd: home });
    expect(first.printed).toMatch(/agents {2}mine {2}none\n +config +\S+runcast\.config\.mjs/);
    for (const run of ["one", "two"]) await (await post(first.url, { message: "x", run })).text();
    first.child.kill("SIGTERM");
    await once(first.child, "exit");
    const second = await serve([], { cwd: home });
    expect(second.printed).toContain("1 run, 1 run deleted by retention");
    expect((await fetch(`${second.url}/runs/one`)).status).toBe(410);
    expect(existsSync(path.join(home, ".runcast"))).toBe(true);
  });

  test("a configuration can import the package by name, even without a build", async () => {
    const home = await newHome("named");
    const text = `import { demoAgent } from "runcast"; import { memory } from "runcast/logs/memory";
      export default { agents: { named: demoAgent() }, log: memory() };`;
    await writeFile(path.join(home, "runcast.config.mjs"), text);
    const { scripts } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
    const [, ...words] = (scripts.start as string).split(" ");
    const child = run([...words, "--port", "0", "--config", path.join(home, "runcast.config.mjs")], { cwd: root });
    const { url, printed } = await greeting(child);
    expect(printed).toContain("agents  named");
    expect((await fetch(`${url}/health`)).status).toBe(200);
    child.kill("SIGTERM");
    await once(child, "exit");
  });

  test("resources that an agent keeps open do not keep a stopped server alive", async () => {
    const home = await newHome("open");
    await writeFile(path.join(home, "runcast.config.mjs"), "setInterval(() => {}, 1000); export default {};");
    const { child } = await serve(["--log", "memory"], { cwd: home });
    child.kill("SIGTERM");
    expect(await once(child, "exit")).toEqual([0, null]);
  });

  test("a public address without a key or with a short one, and an unknown log, are refused", async () => {
    const args = ["serve", "--host", "0.0.0.0", "--port", "0", "--log", "memory"];
    expect(await runcast(args)).toMatchObject({
      code: 1,
      error: expect.stringContaining("needs a key: set RUNCAST_KEY"),
    });
    const short = await runcast(args, { env: { RUNCAST_KEY: "short" } });
    expect(short).toMatchObject({ code: 1, error: expect.stringContaining("at least 8 characters") });
    const log = await runcast(["serve", "--log", "sqlit"]);
    expect(log).toMatchObject({ code: 1, error: expect.stringContaining("did you mean sqlite?") });
  });
});

describe("watch", () => {
  test("reports that no server responds", async () => {
    const port = await freePort();
    const { error, code } = await runcast(["watch", `http://127.0.0.1:${port}/runs/x`]);
    expect(error).toContain(`no server responds at http://127.0.0.1:${port}`);
    expect(code).toBe(1);
  });

  test("shows how to answer, and then the answer", async () => {
    const { url } = await serve(["--log", "memory"]);
    const child = launch(["watch", url, "--message", "Send the report, but ask for my approval first"]);
    child.stdout.setEncoding("utf8");
    let out = "";
    let address: string | undefined;
    child.stdout.on("data", (chunk: string) => {
      out += chunk;
      const found = /curl (\S+) -H '(content-type: application\/json)' -d '(.*)'/.exec(out);
      if (!found || address !== undefined) return;
      address = found[1]!;
      void fetch(address, { method: "POST", headers: { "content-type": "application/json" }, body: found[3]! });
    });
    await once(child, "close");
    expect(out).toContain(`answer on ${url}/?run=`);
    expect(out).toContain("✓ Allowed");
    expect(child.exitCode).toBe(0);
  });

  test("a key is sent, and a missing one is reported with the server's message", async () => {
    const home = await newHome("key");
    await writeFile(path.join(home, "runcast.config.mjs"), `export default { key: "correct-horse", log: "memory" }`);
    const { url } = await serve([], { cwd: home });
    const without = await runcast(["watch", url, "--message", "hello"]);
    expect(without).toMatchObject({ code: 1, error: expect.stringContaining("this server requires a key") });
    const withKey = await runcast(["watch", url, "--message", "hello"], { env: { RUNCAST_KEY: "correct-horse" } });
    expect(withKey.code, withKey.error).toBe(0);
  });
});
