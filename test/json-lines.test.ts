import { expect, test } from "vitest";
import { createJsonLines } from "../src/json-lines.ts";
import type { Source } from "../src/source.ts";
import { ended, post, serve, start } from "./serving.ts";

test("there is a line for each run, refusal and problem, without any content", async () => {
  const written: string[] = [];
  const lines = createJsonLines((line) => written.push(line), false);
  const source: Source = async function* () {
    yield { type: "step-start", step: "s" };
    yield { type: "text-start", part: "p" };
    yield { type: "text-delta", part: "p", delta: "the-answer" };
    yield { type: "step-end", step: "s", finish: "stop", usage: { input: 3, output: 4 } };
    throw new Error("the-message with sk-the-secret-of-somebody");
  };
  const { observe, runEnded, refused } = lines;
  const { url } = await serve(source, { runner: { observe, onEnd: runEnded }, onRefused: refused });
  const run = await start(url, { message: "the-question", thread: "t" });
  await ended(url, run);
  await post(`${url}/runs`, "the-body");
  lines.problem(Object.assign(new Error("the-message"), { code: "ENOSPC" }), "problem");
  lines.problem("the-message", "stray-error");
  const parsed = written.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(parsed.map(({ level, event }) => `${String(level)} ${String(event)}`)).toEqual([
    "info run-start",
    "warn run-end",
    "warn refused",
    "error problem",
    "error stray-error",
  ]);
  expect(parsed[0]).toMatchObject({ run, agent: "test", thread: "t" });
  expect(parsed[1]).toMatchObject({ run, outcome: "error", code: "agent-failed", inputTokens: 3, outputTokens: 4 });
  expect(parsed[2]).toMatchObject({ status: 400, code: "bad-request" });
  expect(parsed[3]).toMatchObject({ name: "Error", code: "ENOSPC" });
  expect((parsed[3]!["stack"] as string[])[0]).toContain("json-lines.test.ts");
  expect(written.join("")).not.toMatch(/the-(?:message|question|answer|body|secret)/);
  for (const line of written) expect(line).toMatch(/^\{"time":"\d{4}-[^\n]*\}\n$/);
});

test("error messages are included if the operator wants them", () => {
  const written: string[] = [];
  createJsonLines((line) => written.push(line), true).problem(new Error("no space\nleft"), "problem");
  expect(JSON.parse(written[0]!)).toMatchObject({ message: "no space\nleft" });
  expect(written[0]!.split("\n")).toHaveLength(2);
});
