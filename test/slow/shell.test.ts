import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ToolResult } from "../../src/tool.ts";
import { type ShellOptions, shell } from "../../src/tools/shell.ts";
import { findIsolation } from "../../src/tools/shell/isolation.ts";
import { callTool, recordingContext, textOf } from "../tools/recording-context.ts";

let workspace: string;
beforeEach(() => {
  workspace = realpathSync(mkdtempSync(path.join(tmpdir(), "runcast-shell-")));
});
afterEach(() => rmSync(workspace, { recursive: true, force: true }));

const tool = (options: Partial<ShellOptions> = {}) => shell({ enabled: true, workspace, ...options });
const run = async (
  input: object,
  options?: Partial<ShellOptions>,
  context = recordingContext(),
): Promise<ToolResult> => {
  const result = await callTool(tool(options), input, context);
  if (!(result instanceof ToolResult)) throw new Error("expected a result");
  return result;
};
const node = (program: string, ...args: string[]) => ({
  command: process.execPath,
  args: ["-e", program, "--", ...args],
});

describe("setup", () => {
  test("is off unless enabled, and needs the user's approval by default", () => {
    expect(() => shell({ workspace } as unknown as ShellOptions)).toThrow("enabled: true");
    expect(() => shell({ workspace, enabled: "true" } as unknown as ShellOptions)).toThrow("enabled: true");
    expect(tool().approval).toBe("always");
    expect(tool({ approval: "never", timeoutMs: 5 })).toMatchObject({ approval: "never", timeoutMs: 5 });
  });

  test.each([[{}], [{ command: "ls", script: "ls" }], [{ script: "ls", args: ["-l"] }], [{ command: "" }]])(
    "refuses %j",
    async (input) => {
      await expect(run(input)).rejects.toThrow("invalid input");
    },
  );
});

describe("running", () => {
  test("returns exit code, output and counts, and runs in the workspace", async () => {
    mkdirSync(path.join(workspace, "sub"));
    const result = await run({ script: "pwd; echo problem >&2; exit 3", directory: "sub" });
    expect(textOf(result)).toMatch(/^Exit code 3 after \d+\.\d s\.\nstdout:\n.*\/sub\n\nstderr:\nproblem\n$/);
    expect(result.value).toEqual({ exitCode: 3, signal: null, stdoutBytes: workspace.length + 5, stderrBytes: 8 });
    expect(result.isError).toBe(true);
    expect(textOf(await run({ command: "true" }))).toMatch(/^Exit code 0 after .*\nNo output\.$/);
    const killed = { script: "kill -9 $$" };
    expect((await run(killed, { isolation: "none" })).value).toMatchObject({ exitCode: null, signal: "SIGKILL" });
    // The namespace's shell reports signals as an exit code.
    if (findIsolation()) expect((await run(killed)).value).toMatchObject({ exitCode: 137, signal: null });
  });

  test("output is live, and characters that are split between chunks arrive whole", async () => {
    let heard = 0;
    const context = recordingContext({ onOutput: () => writeFileSync(`${workspace}/heard${++heard}`, "") });
    // Writes the next character when the previous one was heard.
    const program = `const { existsSync } = require("node:fs");
      const pause = () => new Promise((resolve) => setTimeout(resolve, 5));
      (async () => { let written = 0; for (const character of "ä€𝄞ß") {
        for (const byte of Buffer.from(character)) { process.stdout.write(Buffer.from([byte])); await pause(); }
        for (written++; !existsSync("heard" + written);) await pause(); }
      process.stderr.write("done"); })()`;
    const result = await run(node(program), {}, context);
    expect(context.outputOf("stdout")).toBe("ä€𝄞ß");
    expect(context.outputOf("stderr")).toBe("done");
    expect(context.of("output")).toHaveLength(5);
    expect(textOf(result)).toContain("stdout:\nä€𝄞ß");
  });

  test("output arrives before the end", async () => {
    const seen = Promise.withResolvers<void>();
    const context = recordingContext({ onOutput: () => seen.resolve() });
    const running = run({ script: `echo ready; while [ ! -e ${workspace}/go ]; do sleep 0.02; done` }, {}, context);
    await seen.promise;
    await run({ command: "touch", args: ["go"] });
    expect((await running).value).toMatchObject({ exitCode: 0 });
  });

  test("long output is truncated for the model and limited for viewers", async () => {
    const context = recordingContext();
    const result = await run(node(`for (let i = 0; i < 500000; i++) console.log("line " + i)`), {}, context);
    const text = textOf(result);
    expect(text).toContain("line 0\n");
    expect(text).toContain("line 499999\n");
    expect(text).toMatch(/\[… \d{7} characters left out …\]/);
    expect(text.length).toBeLessThan(20_000);
    expect(result.value).toMatchObject({ exitCode: 0, stdoutBytes: 5_888_890 });
    expect(context.outputOf("stdout").length).toBeLessThan(1.2 * 1024 * 1024);
    expect(context.outputOf("stdout")).toMatch(/\[The rest of the output is not shown\.\]\n$/);
  });

  test("commands see no variable of the server except those that are configured", async () => {
    process.env["RUNCAST_TEST_SECRET"] = "hidden";
    process.env["RUNCAST_TEST_GIVEN"] = "given";
    try {
      const names = async (options: Partial<ShellOptions>) =>
        JSON.parse(textOf(await run(node("console.log(JSON.stringify(process.env))"), options)).split("stdout:\n")[1]!);
      const plain = await names({});
      expect(Object.keys(plain).filter((name) => !/^(PATH|HOME|LANG|TERM|PWD|RUNCAST_CALL)$/.test(name))).toEqual([]);
      expect(await names({ env: ["RUNCAST_TEST_GIVEN"] })).toMatchObject({ RUNCAST_TEST_GIVEN: "given" });
      expect(await names({ env: { A: "1" } })).toMatchObject({ A: "1" });
    } finally {
      delete process.env["RUNCAST_TEST_SECRET"];
      delete process.env["RUNCAST_TEST_GIVEN"];
    }
  });

  test("a command that cannot be started is reported with a hint", async () => {
    await expect(run({ command: "git status" })).rejects.toThrow("put its arguments into args");
    await expect(run({ command: "no-such-program" })).rejects.toThrow("There is no program no-such-program here.");
    await expect(run({ command: "echo", args: ["a\0b"] })).rejects.toThrow("could not be started");
    symlinkSync("/", path.join(workspace, "root"));
    for (const directory of ["..", "/", "root", "missing"]) {
      await expect(run({ command: "ls", directory })).rejects.toThrow("not a directory in the workspace");
    }
  });
});

/** Each would create `injected` or change the output if a shell interpreted it. */
const INJECTIONS = [
  "; touch injected",
  "&& touch injected",
  "| touch injected",
  "|| touch injected",
  "& touch injected &",
  "$(touch injected)",
  "`touch injected`",
  "\n touch injected \n",
  "' ; touch injected ; '",
  '" ; touch injected ; "',
  "> injected",
  "< /etc/passwd > injected",
  "${IFS}touch${IFS}injected",
  "$HOME",
  "~",
  "*",
  "{a,b}",
  "\\",
  "!!",
  "#",
  "-e touch injected",
  "\r\ntouch injected",
  "\u2028touch injected",
  "%PATH%",
  "",
];

test.each(INJECTIONS)("the argument %j reaches the program unchanged", async (argument) => {
  const result = await run(node("console.log(JSON.stringify(process.argv.slice(1)))", argument, "after"));
  expect(JSON.parse(textOf(result).split("stdout:\n")[1]!)).toEqual([argument, "after"]);
  expect(readdirSync(workspace)).toEqual([]);
});

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    // A zombie has ended, but has not been reaped yet.
    return !/^State:\s*Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
};

/** Ignores SIGTERM, leaves the group, and writes every 100 ms: first its pid, then dots. */
const STUBBORN = `trap '' TERM HUP INT; echo $$ >> beats; while :; do echo . >> beats; sleep 0.1; done`;
const stubborn = (quote: string) => `setsid sh -c "${quote}" >/dev/null 2>&1 </dev/null`;
const beats = () => (existsSync(`${workspace}/beats`) ? readFileSync(`${workspace}/beats`, "utf8").split("\n") : []);
const beating = async (count: number): Promise<void> => {
  while (beats().length < count) await new Promise((resolve) => setTimeout(resolve, 20));
};
const script = STUBBORN.replaceAll("$", "\\$");

describe.runIf(process.platform === "linux")("the process tree", () => {
  // Without isolation, so that the pids are valid outside the namespace.
  test.each([
    ["while its parents live", `${stubborn(script)} & wait`],
    ["after its parents have ended", `(${stubborn(script)} &) ; sleep 100`],
    ["in another environment", `env -i PATH="$PATH" ${stubborn(script)} & wait`],
    ["that is many", `for i in 1 2 3 4 5; do ${stubborn(script)} & done; wait`],
  ])("a grandchild that ignores SIGTERM and left the group is gone within a second, %s", async (_, program) => {
    const controller = new AbortController();
    const running = run({ script: program }, { isolation: "none" }, recordingContext({ signal: controller.signal }));
    await beating(8);
    const pids = beats()
      .filter((line) => /^\d+$/.test(line))
      .map(Number);
    expect(pids.length).toBeGreaterThan(0);
    for (const pid of pids) expect(isAlive(pid)).toBe(true);
    const began = performance.now();
    controller.abort(new Error("stopped by a person"));
    await expect(running).rejects.toThrow("stopped by a person");
    expect(performance.now() - began).toBeLessThan(1000);
    for (const pid of pids) expect(isAlive(pid)).toBe(false);
    const count = beats().length;
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(beats().length).toBe(count);
  });

  test("a well-behaved process gets time to clean up", async () => {
    const controller = new AbortController();
    const seen = Promise.withResolvers<void>();
    const context = recordingContext({ signal: controller.signal, onOutput: () => seen.resolve() });
    const program = "trap 'echo bye > cleaned; exit 0' TERM; echo ready; while :; do sleep 0.02; done";
    const running = run({ script: program }, {}, context);
    await seen.promise;
    controller.abort(new Error("stopped"));
    await expect(running).rejects.toThrow("stopped");
    expect(readFileSync(`${workspace}/cleaned`, "utf8")).toBe("bye\n");
  });

  test("processes that a command leaves behind end with it, and do not block the call", async () => {
    const result = await run(
      { script: `${stubborn(script)} & sleep 1000 & echo $! >> left; while [ ! -s beats ]; do sleep 0.02; done` },
      { isolation: "none" },
    );
    expect(result.value).toMatchObject({ exitCode: 0 });
    const pids = [beats()[0], readFileSync(`${workspace}/left`, "utf8")].map(Number);
    for (const pid of pids) expect(isAlive(pid)).toBe(false);
  });

  test("a call that is cancelled before it begins starts nothing", async () => {
    const signal = AbortSignal.abort(new Error("stopped"));
    await expect(run({ script: "touch started" }, {}, recordingContext({ signal }))).rejects.toThrow("stopped");
    expect(readdirSync(workspace)).toEqual([]);
  });
});

describe("a command has no access to", () => {
  const secret = "a-secret-of-this-server";
  beforeEach(() => {
    process.env["RUNCAST_TEST_API_KEY"] = secret;
  });
  afterEach(() => {
    delete process.env["RUNCAST_TEST_API_KEY"];
  });

  test("the server's secrets, however they are printed", async () => {
    const context = recordingContext();
    const program = `(async () => { for (const letter of ${JSON.stringify(`${secret} ${secret.slice(0, 9)}!`)}) {
      process.stdout.write(letter); await new Promise((resolve) => setTimeout(resolve, 2)); } })()`;
    const result = await run(node(program), {}, context);
    expect(textOf(result)).toContain("stdout:\n[redacted] a-secret-!");
    expect(context.outputOf("stdout")).toBe("[redacted] a-secret-!");
    const given = await run({ script: "echo $RUNCAST_TEST_API_KEY" }, { env: ["RUNCAST_TEST_API_KEY"] });
    expect(textOf(given)).toContain(secret);
  });

  test.runIf(findIsolation())("the server's process, if the machine supports namespaces", async () => {
    const script = "cat /proc/$PPID/environ; cat /proc/*/cmdline | tr '\\0' ' '; echo; ls /proc | grep -c '^[0-9]'";
    const text = textOf(await run({ script }));
    expect(text).not.toContain("vitest");
    expect(text).not.toContain("RUNCAST_TEST_API_KEY");
    expect(Number(/^(\d+)$/m.exec(text)?.[1])).toBeLessThan(10);
  });

  test.runIf(findIsolation())("a way to outlive the call, if the machine supports namespaces", async () => {
    const mark = path.join(workspace, "alive");
    const script = `env -i setsid sh -c 'while :; do date +%s%N > ${mark}; sleep 0.02; done' </dev/null >/dev/null 2>&1 & while [ ! -s ${mark} ]; do sleep 0.02; done`;
    expect((await run({ script })).value).toMatchObject({ exitCode: 0 });
    const last = readFileSync(mark, "utf8");
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(readFileSync(mark, "utf8")).toBe(last);
  });

  test("namespaces can be required", () => {
    if (findIsolation()) expect(tool({ isolation: "required" }).name).toBe("run_command");
    else expect(() => tool({ isolation: "required" })).toThrow("needs Linux");
  });
});
