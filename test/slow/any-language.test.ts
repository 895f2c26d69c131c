import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { native } from "../../src/dialects/native.ts";
import { http } from "../../src/sources/http.ts";
import { freePort, root, useCommandLine } from "../command-line.ts";
import { findProgram } from "../components.ts";
import { play } from "../running.ts";

const LANGUAGES = [
  { language: "Python", program: "python3", args: ["agent.py"] },
  { language: "Go", program: "go", args: ["run", "agent.go"] },
];

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
});

const start = async (program: string, args: readonly string[]): Promise<string> => {
  const port = await freePort();
  const child = spawn(program, [...args, `${port}`], {
    cwd: path.join(root, "examples/any-language"),
    stdio: "ignore",
    // `go run` starts a child process, which must end with it.
    detached: true,
  });
  stops.push(async () => {
    process.kill(-child.pid!, "SIGKILL");
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  });
  const url = `http://127.0.0.1:${port}`;
  await expect
    .poll(
      () =>
        fetch(url).then(
          () => true,
          () => false,
        ),
      { timeout: 50_000 },
    )
    .toBe(true);
  return url;
};

describe("an agent in another language", () => {
  const { runcast } = useCommandLine();

  for (const { language, program, args } of LANGUAGES) {
    const isThere = findProgram(program) !== undefined;
    if (!isThere) console.log(`skipped: the agent in ${language} (${program} is not installed)`);
    test.skipIf(!isThere)(`${language}: passes its check and shows its call`, async () => {
      const url = await start(program, args);
      const checked = await runcast(["check", "--agent", url, "--message", "Oslo"]);
      expect(checked).toMatchObject({ code: 0, out: expect.stringMatching(/^ok: \d+ events, 2 steps, 1 call\n$/) });

      const { events } = await play(http({ dialect: native, url }));
      expect(events.find(({ type }) => type === "tool-end")).toMatchObject({
        outcome: "ok",
        content: [{ type: "text", text: "clear over hi" }],
      });
      expect(events.at(-1)).toMatchObject({ type: "run-end", outcome: "done" });
    });
  }
});
