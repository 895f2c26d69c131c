import { describe, expect, test } from "vitest";
import type { Event, Json } from "../src/events.ts";
import type { Log } from "../src/log.ts";
import { memory } from "../src/logs/memory.ts";
import { redactAgent, type RedactionRules } from "../src/redaction.ts";
import { PRESETS } from "../src/redaction/rules.ts";
import { compileRules, LONGEST, Scanner } from "../src/redaction/scanner.ts";
import type { Source } from "../src/source.ts";
import { randomFrom } from "./random.ts";
import { play, setUp, untilEnd } from "./running.ts";

const ALL: RedactionRules = {
  presets: ["keys", "emails", "phones", "cards"],
  fields: ["iban"],
  patterns: ["ACME", /\bcustomer-\d+\b/],
};
const rules = [...Object.values(PRESETS).flat(), { name: "own", pattern: /\bcustomer-\d+\b/ }];

/** None of these may appear in the output, in part or whole. */
const SECRETS = [
  "sk-proj-Zq81kLmN0pQrStUvWxYz",
  "ghp_A1b2C3d4E5f6G7h8I9j0K1l2",
  "AKIAQ7W3E5R9T1Y2U8I0",
  "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ6ZWJyYSJ9.dozjgNryP4J3jVmNHl0w5N",
  "zoe.zebra+x@mail.example.org",
  "+49 170 5550 1234",
  "(415) 555-0137",
  "4111 1111 1111 1111",
  "5500-0000-0000-0004",
  "customer-90210",
];

const program = compileRules(rules);

const scan = (pieces: readonly string[]): string => {
  const scanner = new Scanner(program, () => {});
  return pieces.map((piece) => scanner.push(piece)).join("") + scanner.end();
};

describe("a text in pieces", () => {
  const chance = randomFrom(Number(process.env["RUNCAST_SEED"] ?? Date.now()));
  const cut = (text: string): string[] => {
    const pieces: string[] = [];
    for (let at = 0; at < text.length;) {
      const length = 1 + Math.floor(chance() * 7);
      pieces.push(text.slice(at, at + length));
      at += length;
    }
    return pieces;
  };
  const words = [
    "the",
    "release",
    "on 12",
    "plan:",
    "a-b",
    "at 10:30,",
    "e.g.",
    "x@",
    "sk-",
    "+1",
    "(see)",
    "Bearer",
    "v1.2.3",
  ];
  const text = () => {
    const parts = Array.from({ length: 12 }, () =>
      chance() < 0.3 ? SECRETS[Math.floor(chance() * SECRETS.length)]! : words[Math.floor(chance() * words.length)]!,
    );
    return parts.join(" ");
  };

  test("loses every secret, wherever it is split, and nothing else than when it arrives whole", () => {
    for (let round = 0; round < 300; round++) {
      const whole = text();
      const clean = scan(cut(whole));
      expect(clean).toBe(scan([whole]));
      for (const secret of SECRETS) expect(clean).not.toContain(secret.slice(0, 12));
    }
  });

  test("never returns a character of a match, for any split of each secret", () => {
    for (const secret of SECRETS)
      for (let at = 0; at <= secret.length; at++) {
        const scanner = new Scanner(program, () => {});
        const first = scanner.push(`see ${secret.slice(0, at)}`);
        const clean = `${first}${scanner.push(`${secret.slice(at)} now`)}${scanner.end()}`;
        expect(clean).toBe("see [redacted] now");
        expect("see [redacted] now".startsWith(first)).toBe(true);
      }
  });

  test("finds what the language's own regular expressions would find", () => {
    const patterns = [/\bab+c\b/, /x(?:y|z){2,3}w?/i, /[^\sa-c]{4,}-\d/, /^start|end$/, /\d(?:[ -]?\d){3,5}\b/];
    for (const pattern of patterns) {
      const own = compileRules([{ name: "p", pattern }]);
      for (let round = 0; round < 200; round++) {
        const letters = Array.from({ length: 12 }, () => "abcxyzXYw 1-2\n"[Math.floor(chance() * 14)]).join("");
        const whole = chance() < 0.2 ? `start${letters}end` : letters;
        const scanner = new Scanner(own, () => {});
        const clean =
          cut(whole)
            .map((piece) => scanner.push(piece))
            .join("") + scanner.end();
        // Text changes exactly if the regular expression matches it.
        expect([pattern.source, whole, new RegExp(pattern.source, pattern.flags).test(whole)]).toEqual([
          pattern.source,
          whole,
          clean !== whole,
        ]);
      }
    }
  });

  test("takes linear time, even for rules and texts that make backtracking slow", () => {
    const evil = compileRules([{ name: "evil", pattern: /(?:a+)+b|(?:a|a)*c|(?:.*,){5}d/ }]);
    const time = (length: number): number => {
      const scanner = new Scanner(evil, () => {});
      const start = performance.now();
      for (let at = 0; at < length; at += 100) scanner.push("a,".repeat(50));
      scanner.end();
      return performance.now() - start;
    };
    // The shortest of several, because the machine may be busy with something else.
    const best = (length: number): number => Math.min(...Array.from({ length: 5 }, () => time(length)));
    const [short, long] = [best(2000), best(20_000)];
    expect(long).toBeLessThan(Math.max(short, 5) * 40);
  });

  test("is held back only where it may be the beginning of a match, and not for long", () => {
    const scanner = new Scanner(program, () => {});
    expect(scanner.push("Plain words come at once, ")).toBe("Plain words come at once,");
    expect(scanner.push("mail zoe")).toBe(" mail");
    expect(scanner.push(" now ")).toBe(" zoe now");
    const words = "x".repeat(LONGEST + 10);
    expect(scanner.push(words).length).toBeGreaterThan(0);
  });

  test("a secret of any length is removed completely", () => {
    const secret = `sk-${"aB3".repeat(5000)}`;
    const scanner = new Scanner(program, () => {});
    let clean = "";
    for (let at = 0; at < secret.length; at += 50) clean += scanner.push(secret.slice(at, at + 50));
    expect(clean + scanner.push(" and on") + scanner.end()).toBe("[redacted] and on");
    const pem = `-----BEGIN RSA PRIVATE KEY-----\n${`${"MIIE/+09".repeat(8)}\n`.repeat(30)}Qw==\n-----END RSA PRIVATE KEY-----\nSo it is.`;
    expect(scan([pem])).toMatch(/^\[redacted\] ?RSA PRIVATE KEY-----\nSo it is\.$|^\[redacted\][^M]*\nSo it is\.$/);
  });

  test("numbers that are not card numbers are kept", () => {
    expect(scan(["order 4111 1111 1111 1112 of 2026-11-16"])).toBe("order 4111 1111 1111 1112 of 2026-11-16");
  });
});

test("unsupported rules are rejected when the agent is created, with the reason", () => {
  const source: Source = async function* () {};
  const wrong = (given: RedactionRules) => () => redactAgent(source, given);
  expect(wrong({ patterns: [/(a)\1/] })).toThrow(/uses \\1, which cannot be matched while text arrives/);
  expect(wrong({ patterns: [/a(?=b)/] })).toThrow(/lookahead/);
  expect(wrong({ patterns: [/a*/] })).toThrow(/matches an empty string/);
  expect(wrong({ patterns: [/\p{L}/u] })).toThrow(/the flag u/);
  expect(wrong({ patterns: [/(?:a{1000}){1000}/] })).toThrow(/too large/);
  expect(wrong({ presets: ["mail" as never] })).toThrow(/use one of keys, emails, phones, cards/);
});

const SECRET = SECRETS[0]!;
const everything = async (log: Log, run: string): Promise<string> => {
  const entries = await log.read(run, 0, 100_000);
  const files = new Set(JSON.stringify(entries).match(/(?<="file":")[^"]+/g));
  let all = JSON.stringify(entries);
  for (const file of files) {
    const stored = await log.get(run, file);
    if (stored) all += Buffer.concat(await Array.fromAsync(stored.bytes)).toString();
  }
  return all;
};

describe("a run of a redacted agent", () => {
  const half = SECRET.length / 2;
  const leaking: Source = async function* (request, context) {
    const value: Json = {
      note: `it is ${SECRET}`,
      password: "hunter2hunter2",
      iban: "DE02 1203",
      card: 4111111111111111,
    };
    yield { type: "status", text: `using ${SECRET}` };
    yield { type: "step-start", step: "s" };
    for (const type of ["thinking", "text"] as const) {
      yield { type: `${type}-start`, part: type } as Event;
      yield { type: `${type}-delta`, part: type, delta: `I use ${SECRET.slice(0, half)}` } as Event;
      yield { type: `${type}-delta`, part: type, delta: `${SECRET.slice(half)}. Write to zoe@exa` } as Event;
      yield { type: `${type}-delta`, part: type, delta: "mple.org" } as Event;
      yield { type: `${type}-end`, part: type } as Event;
    }
    yield { type: "tool-start", call: "c", name: "send", title: SECRET };
    for (const piece of JSON.stringify({ ...value, escaped: "zoe\u0040example.org" })
      .replace("@", String.raw`\u0040`)
      .match(/.{1,5}/gs)!)
      yield { type: "tool-input-delta", call: "c", delta: piece };
    yield { type: "tool-input-end", call: "c" };
    yield { type: "step-end", step: "s", finish: "tools" };
    yield { type: "tool-execute", call: "c" };
    yield { type: "tool-output-delta", call: "c", stream: "stdout", delta: `export KEY=${SECRET.slice(0, half)}` };
    yield { type: "tool-output-delta", call: "c", stream: "stdout", delta: SECRET.slice(half) };
    const file = await context.put(`a file with ${SECRET}`, { mediaType: "text/plain" });
    yield { type: "file", name: "a.txt", file: file.file, call: "c" };
    yield { type: "ask-start", ask: "a", kind: "input", call: "c", message: `Is it ${SECRET}?` };
    const { answer } = await context.answerTo("a");
    // The agent works with the originals.
    expect(answer).toEqual({ value: SECRET });
    expect(JSON.stringify(request)).toContain(SECRET);
    yield { type: "tool-end", call: "c", outcome: "ok", content: [{ type: "text", text: SECRET.repeat(3000) }], value };
    throw new Error(`it failed with ${SECRET}`);
  };

  test("stores no secret anywhere: text, thinking, arguments, output, results, files, asks, answers, errors, its request", async () => {
    const { runner, log } = setUp();
    const agent = { name: "test", source: redactAgent(leaking, ALL) };
    const data = Buffer.from(`key: ${SECRET}`).toString("base64");
    const content = [
      { type: "text" as const, text: `use ${SECRET} for ACME` },
      { type: "file" as const, mediaType: "text/plain", data },
    ];
    const request = {
      messages: [{ role: "user" as const, content }],
      system: SECRET,
      metadata: { token: "t0k3n-t0k3n" },
    };
    const { run } = await runner.start(request, agent);
    while ((await runner.answer(run, "a", { value: SECRET })) !== "accepted")
      await new Promise((tick) => setTimeout(tick, 1));
    const events = await untilEnd(log, run);
    const all = await everything(log, run);
    for (const secret of [
      SECRET,
      SECRET.slice(0, half),
      "zoe@",
      "hunter2",
      "DE02",
      "4111111111111111",
      "ACME",
      "t0k3n",
      data,
    ])
      expect([secret, all.includes(secret)]).toEqual([secret, false]);
    const streamed = events.flatMap((event) => (event.type === "text-delta" ? [event.delta] : [])).join("");
    expect(streamed).toBe("I use [redacted]. Write to [redacted]");
    const input = events.find((event) => event.type === "tool-input-end");
    expect(input).toMatchObject({ input: { note: "it is [redacted]", password: "[redacted]", card: "[redacted]" } });
    expect(events.at(-1)).toMatchObject({ outcome: "error", error: { message: "it failed with [redacted]" } });
    expect(events.at(-2)).toMatchObject({
      type: "notice",
      text: expect.stringMatching(/^Removed before storage: \d+ × key, /),
    });
  });

  test("has no notice if nothing was removed, and loses no text", async () => {
    const source: Source = async function* () {
      yield { type: "step-start", step: "s" };
      yield { type: "text-start", part: "p" };
      for (const delta of ["Mail", " me at", " noon, or", " write zoe"]) yield { type: "text-delta", part: "p", delta };
    };
    const { events } = await play(redactAgent(source, ALL));
    const streamed = events.flatMap((event) => (event.type === "text-delta" ? [event.delta] : [])).join("");
    expect(streamed).toBe("Mail me at noon, or write zoe");
    expect(events.some(({ type }) => type === "notice")).toBe(false);
  });

  test("is not resumed: the next process ends it as interrupted", async () => {
    let now = 0;
    const log = memory({ now: () => now });
    const waiting: Source = async function* (_, { signal }) {
      yield { type: "step-start", step: "s" };
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    };
    const source = redactAgent(Object.assign(waiting, { resume: waiting }), ALL);
    const findAgent = (name: string) => ({ name, source });
    const { run } = await setUp({ log, findAgent }).runner.start(
      { messages: [{ role: "user", content: [{ type: "text", text: "hi" }] }] },
      findAgent("test"),
    );
    now += 10_001;
    await setUp({ log, findAgent }).runner.recover();
    expect((await untilEnd(log, run)).at(-1)).toMatchObject({ outcome: "interrupted" });
  });
});
