import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, test } from "vitest";
import type { Event } from "../src/events.ts";
import { memory } from "../src/logs/memory.ts";
import { describeWith } from "./components.ts";
import { dialects } from "./contracts/dialect-variants.ts";
import { numbered } from "./dialects/dialect-frames.ts";
import { textSource, serve } from "./serving.ts";

/** Characters that JSON allows unescaped, and that Python's `str.splitlines` treats as line ends. */
const ODD = "a\u0085b\u2028c\u2029d";

const events: Event[] = [
  { type: "run-start", protocol: 2, run: "odd", name: "test" },
  { type: "step-start", step: "s" },
  { type: "text-start", part: "p" },
  { type: "text-delta", part: "p", delta: ODD },
  { type: "text-end", part: "p" },
  { type: "tool-start", call: "c", name: "look" },
  { type: "tool-input-end", call: "c", input: { [ODD]: ODD } },
  { type: "step-end", step: "s", finish: "tools" },
  { type: "tool-execute", call: "c" },
  { type: "tool-end", call: "c", outcome: "ok", content: [{ type: "text", text: ODD }] },
  { type: "run-end", outcome: "done" },
];

const serving = async () => {
  const log = memory();
  await log.append("odd", numbered(events));
  return await serve(textSource([ODD]), { dialects, log });
};

describe.each(dialects.map(({ name }) => [name]))("%s", (name) => {
  test.each(["0", "1"])("contains no such line break, extensions: %s", async (extensions) => {
    const { url } = await serving();
    const headers = { "runcast-extensions": extensions };
    const text = await (await fetch(`${url}/runs/odd/events?dialect=${name}`, { headers })).text();
    expect(text).toContain("\\u0085b\\u2028c\\u2029");
    expect(text).not.toMatch(/[\u0085\u2028\u2029]/);
  });
});

test("a whole answer, a snapshot and a saved log contain none either", async () => {
  const { url } = await serving();
  const body = JSON.stringify({ messages: [{ role: "user", content: "go" }], model: "test" });
  const asked = { method: "POST", headers: { "content-type": "application/json" }, body };
  for (const answer of [
    await fetch(`${url}/v1/chat/completions`, asked),
    await fetch(`${url}/runs/odd/events?from=snapshot`),
    await fetch(`${url}/runs/odd/export.jsonl`),
  ]) {
    const text = await answer.text();
    expect(text).toContain("\\u0085b\\u2028c\\u2029");
    expect(text).not.toMatch(/[\u0085\u2028\u2029]/);
  }
});

/** Reads lines like httpx: with its own `iter_lines` if it is installed, otherwise with `str.splitlines`, which it uses. */
const READER = `
import json, sys, urllib.request
def lines(url):
    try:
        import httpx
    except ImportError:
        with urllib.request.urlopen(url) as answer:
            yield from answer.read().decode().splitlines()
        return
    with httpx.stream("GET", url) as answer:
        yield from answer.iter_lines()
broken = [line for line in lines(sys.argv[1]) if line and line.split(":")[0] not in ("id", "event", "data", "")]
read = [line[5:].strip() for line in lines(sys.argv[1]) if line.startswith("data:")]
print(json.dumps({"broken": broken, "texts": [data for data in read if data != "[DONE]" and json.loads(data)]}))
`;

describeWith("python3", "a Python client that reads lines", (python) => {
  test.each(dialects.map(({ name }) => [name]))("gets every frame of %s complete", async (name) => {
    const { url } = await serving();
    const child = spawn(python, ["-c", READER, `${url}/runs/odd/events?dialect=${name}`]);
    let said = "";
    let errors = "";
    child.stdout.on("data", (piece) => (said += piece));
    child.stderr.on("data", (piece) => (errors += piece));
    const [code] = (await once(child, "close")) as [number];
    expect(code, errors).toBe(0);
    const { broken, texts } = JSON.parse(said) as { broken: string[]; texts: string[] };
    expect(broken).toEqual([]);
    expect(texts.some((text) => JSON.stringify(JSON.parse(text)).includes(ODD))).toBe(true);
  });
});
