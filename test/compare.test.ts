import { homedir } from "node:os";
import { expect, test } from "vitest";
import { changesOf } from "../bench/compare/changes.ts";
import { evidenceFile, evidenceOf, lastAnswer } from "../bench/compare/evidence.ts";
import { Floor } from "../bench/compare/floor.ts";
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
  setUp: "As documented.",
  measured: "2026-01-01",
  isShort: false,
  results,
});
const tokens = (bytesPerToken: number, microsecondsPerToken: number) =>
  resultOf("many-tokens", { numbers: { bytesPerToken, microsecondsPerToken } });

const refused = resultOf("late-viewer", {
  verdict: "no",
  because: "the late page gets nothing",
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

test("a no comes with the system's responses and output, but without the paths of this machine", () => {
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

test("the comparison states where Runcast is worse", () => {
  const ours = [
    systemOf("Runcast (memory)", [tokens(100, 20), refused]),
    systemOf("Runcast (SQLite)", [tokens(90, 40)]),
  ];
  const losses = lossesOf([...ours, systemOf("Small", [tokens(50, 30)]), systemOf("Large", [tokens(300, 300)])]);
  expect(losses).toEqual([
    "Runcast (memory) fails `late-viewer`; the reasons are above.",
    "`many-tokens`: Small needs 50 bytes per token; Runcast needs at least 90.",
  ]);
  expect(lossesOf([systemOf("Small", [tokens(50, 30)])])).toEqual([]);
});

test("verdicts that differ from the run before are named; new systems and new trials are not", () => {
  const before = [
    systemOf("Peer", [resultOf("approval", {}), refused]),
    { name: "gone", absent: "gone is not installed" },
  ];
  const same = systemOf("Peer", [
    resultOf("approval", { because: "for another reason" }),
    refused,
    resultOf("new", {}),
  ]);
  expect(changesOf(before, [same, systemOf("Other", [refused])])).toEqual([]);
  expect(changesOf(before, [systemOf("Peer", [resultOf("approval", { verdict: "no" }), refused])])).toEqual([
    "Peer, approval: yes before, no now",
  ]);
  const gone = ["Peer: measured before, not now"];
  expect(changesOf(before, [])).toEqual(gone);
  expect(changesOf(before, [{ name: "Peer", absent: "Peer does not start here" }])).toEqual(gone);
});

test("one system at a time has the floor: one that yielded it resumes before those that have not begun", async () => {
  const floor = new Floor();
  const done: string[] = [];
  const silence = Promise.withResolvers<void>();
  const first = async () => {
    await floor.take(0);
    done.push("first begins");
    await floor.lend(0, silence.promise);
    done.push("first ends");
    floor.give();
  };
  const other = async (rank: number, meanwhile: () => void) => {
    await floor.take(rank);
    done.push(`${rank} begins`);
    meanwhile();
    // Everything that waits only for the silence runs first.
    await new Promise((resolve) => setImmediate(resolve));
    done.push(`${rank} ends`);
    floor.give();
  };
  await Promise.all([first(), other(2, () => {}), other(1, silence.resolve)]);
  expect(done).toEqual(["first begins", "1 begins", "1 ends", "first ends", "2 begins", "2 ends"]);
});
