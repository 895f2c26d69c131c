import { homedir } from "node:os";
import { expect, test } from "vitest";
import { evidenceFile, evidenceOf, lastAnswer } from "../bench/compare/evidence.ts";
import { lossesOf } from "../bench/compare/losses.ts";
import type { System } from "../bench/compare/measured.ts";
import type { Result } from "../src/torture.ts";

const resultOf = (trial: string, more: Partial<Result>): Result => ({
  trial,
  shows: "something",
  verdict: "yes",
  because: "it does",
  seed: 7,
  ms: 1,
  ...more,
});
const systemOf = (name: string, results: readonly Result[]): System => ({
  name,
  versions: "1",
  measured: "2026-01-01",
  isShort: false,
  results,
});
const tokens = (bytesPerToken: number, microsecondsPerToken: number) =>
  resultOf("many-tokens", { numbers: { bytesPerToken, microsecondsPerToken } });

const refused = resultOf("late-viewer", {
  verdict: "no",
  because: "the late page is told nothing",
  evidence: [
    {
      request: "GET /chat/0c62310e-6c4c-43b2-8680-5e1d08cec8af/stream",
      status: 404,
      head: `HTTP/1.1 404 Not Found\r\n\r\nno file ${homedir()}/x`,
      tail: "the end",
      bytes: 1234,
      ended: "ended by the server",
    },
  ],
  output: "\u001b[31mWarning\u001b[0m: it is gone",
});

test("a no comes with what the system answered and printed, but not with where things are on this machine", () => {
  const system = systemOf("Peer (one)", [refused, resultOf("approval", {})]);
  const nos = JSON.parse(evidenceOf(system)!) as Record<string, unknown>[];
  expect(nos).toHaveLength(1);
  expect(nos[0]).toMatchObject({
    trial: "late-viewer",
    repeat: "--only late-viewer --seed 7",
    answers: [{ status: 404, begins: expect.stringContaining("no file …/x"), ends: "the end", bytes: 1234 }],
    printed: "Warning: it is gone",
  });
  expect(lastAnswer(refused)).toBe("GET /chat/…/stream: 404, 1,234 bytes, ended by the server");
  expect(evidenceFile(system)).toBe("peer-one.json");
  expect(evidenceOf(systemOf("Peer", [resultOf("approval", {})]))).toBeUndefined();
});

test("where Runcast is worse, it says so", () => {
  const ours = [
    systemOf("Runcast (memory)", [tokens(100, 20), refused]),
    systemOf("Runcast (SQLite)", [tokens(90, 40)]),
  ];
  const losses = lossesOf([...ours, systemOf("Small", [tokens(50, 30)]), systemOf("Large", [tokens(300, 300)])]);
  expect(losses).toEqual([
    "Runcast (memory) says no to `late-viewer`; the reasons are above.",
    "`many-tokens`: Small needs 50 bytes per token; Runcast needs at least 90.",
  ]);
  expect(lossesOf([systemOf("Small", [tokens(50, 30)])])).toEqual([]);
});
