import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import type { Event } from "../src/events.ts";
import { memory } from "../src/logs/memory.ts";
import { python } from "./agno/server.ts";
import { absent } from "./components.ts";
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

/** Reads lines as httpx splits them: the part of it that breaks a stream which contains such characters. */
const READER = `
import json, sys, httpx
with httpx.stream("GET", sys.argv[1]) as answer:
    lines = list(answer.iter_lines())
broken = [line for line in lines if line and line.split(":")[0] not in ("id", "event", "data", "")]
read = [line[5:].strip() for line in lines if line.startswith("data:")]
print(json.dumps({"broken": broken, "texts": [data for data in read if data != "[DONE]" and json.loads(data)]}))
`;

/** OpenAI's client for Python. */
const OPENAI = `
import json, sys, openai
client = openai.OpenAI(base_url=sys.argv[1] + "/v1", api_key="none")
chunks = client.chat.completions.create(model="test", messages=[{"role": "user", "content": "go"}], stream=True)
chat = "".join(choice.delta.content or "" for chunk in chunks for choice in chunk.choices)
events = client.responses.create(model="test", input="go", stream=True)
response = "".join(event.delta for event in events if event.type == "response.output_text.delta")
print(json.dumps({"chat": chat, "response": response}))
`;

const suite = (command: string): void => {
  const read = async (script: string, url: string): Promise<unknown> => {
    const { stdout } = await promisify(execFile)(command, ["-c", script, url]);
    return JSON.parse(stdout);
  };

  test.each(dialects.map(({ name }) => [name]))("gets every frame of %s complete", async (name) => {
    const { url } = await serving();
    const answer = await read(READER, `${url}/runs/odd/events?dialect=${name}`);
    const { broken, texts } = answer as { broken: string[]; texts: string[] };
    expect(broken).toEqual([]);
    expect(texts.some((text) => JSON.stringify(JSON.parse(text)).includes(ODD))).toBe(true);
  });

  test("gets the text with OpenAI's client", async () => {
    const { url } = await serving();
    expect(await read(OPENAI, url)).toEqual({ chat: ODD, response: ODD });
  });
};

const NAME = "a Python client";
// Agno's environment contains httpx and OpenAI's client.
const program = python;
if (program) describe(NAME, { timeout: 60_000 }, () => suite(program));
else absent(NAME, "not installed: npm run agents -- agno");
