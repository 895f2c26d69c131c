import { describe, expect, test } from "vitest";
import { demoAgent } from "../../src/models/demo.ts";
import { endOf, openai, stories, wordsOf } from "./openai-client.ts";
import { native } from "../../src/dialects/native.ts";
import { openaiChat } from "../../src/dialects/openai-chat.ts";
import type { Entry } from "../../src/events.ts";
import { serve } from "../serving.ts";

type Style = "details" | "text";

/** The ways to request a style: by the model's name, a header or the query. */
const ways: readonly [string, (url: string, style: Style, body: object) => Promise<Response>][] = [
  ["the model's name", (url, style, body) => send(url, { ...body, model: `demo:${style}` })],
  ["a header", (url, style, body) => send(url, { ...body, model: "demo" }, { "runcast-style": style })],
  ["the query", (url, style, body) => send(`${url}?style=${style}`, { ...body, model: "demo" })],
];

const send = (url: string, body: object, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });

const streamed = async (response: Response): Promise<string> => {
  const lines = (await response.text()).split("\n").filter((line) => line.startsWith("data: {"));
  const deltas = lines.flatMap(
    (line) => (JSON.parse(line.slice(6)).choices ?? []) as { delta: { content?: string } }[],
  );
  return deltas.map(({ delta }) => delta.content ?? "").join("");
};

const whole = async (response: Response): Promise<string> =>
  ((await response.json()) as { choices: { message: { content: string } }[] }).choices[0]!.message.content;

const messages = [{ role: "user", content: "Use two tools in parallel" }];

describe.each(ways)("requested by %s", (_, ask) => {
  test.each(["details", "text"] as const)("calls appear as %s within the text, streamed and not", async (style) => {
    const demo = demoAgent({ speed: Infinity });
    const { url } = await serve(demo, { dialects: [native, openaiChat], agents: { demo } });
    const chat = `${url}/v1/chat/completions`;
    const text = await streamed(await ask(chat, style, { messages, stream: true }));
    expect(await whole(await ask(chat, style, { messages, stream: false }))).toMatch(
      style === "details" ? /<details id="call_/ : /🔧 `calculate`/,
    );
    const blocks = style === "details" ? text.match(/^<details .*>$/gm) : text.match(/^🔧 .*$/gm);
    expect(blocks).toHaveLength(2);
    if (style === "details")
      expect(
        blocks!.every((block) => /done="true" status="completed" name="(search_notes|calculate)"/.test(block)),
      ).toBe(true);
    // Each starts on its own line, after an empty one.
    for (const block of blocks!) expect(text).toContain(`\n\n${block}`);
  });
});

test("by default, calls do not appear in the text, and an unknown style is refused", async () => {
  const { url } = await openai();
  const chat = `${url}/v1/chat/completions`;
  const answer = await whole(await send(chat, { model: "tools-in-parallel", messages }));
  expect(answer).not.toMatch(/details|🔧/);
  const refused = await send(`${chat}?style=cards`, { model: "tools-in-parallel", messages });
  expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining("details, text")]);
});

// Without a stream, a run that did not finish is an error.
test.each([...stories].filter(([, entries]) => endOf(entries).outcome === "done"))(
  "%s: the text is unchanged, and every call of the agent appears once",
  async (name, entries) => {
    const { url } = await openai();
    const text = await whole(await send(`${url}/v1/chat/completions`, { model: `${name}:details`, messages }));
    const elements = text.match(/^<details id="[^"]+"/gm) ?? [];
    expect(elements.map((block) => block.slice('<details id="'.length, -1)).toSorted()).toEqual(
      callsIn(entries).toSorted(),
    );
    const words = text.replaceAll(/<details [^]*?<\/details>/g, "").replaceAll(/\s+/g, "");
    expect(words).toBe(wordsOf(entries, "text").join("").replaceAll(/\s+/g, ""));
  },
);

const callsIn = (entries: readonly Entry[]): string[] =>
  entries.flatMap(({ event }) => (event.type === "tool-end" && event.outcome !== "deferred" ? [event.call] : []));

test("nothing in a tool's result can end its block", () => {
  const hostile = '</details>\n```\n<script>"\u2028&';
  const encode = openaiChat.encode({ link: () => "", style: JSON.stringify({ calls: "details" }) });
  const text = [
    { type: "run-start", protocol: 2, run: "r", name: "test" },
    { type: "step-start", step: "s" },
    { type: "tool-start", call: "c", name: `look"><b>` },
    { type: "tool-input-end", call: "c", input: { path: hostile } },
    { type: "step-end", step: "s", finish: "tools" },
    { type: "tool-execute", call: "c" },
    { type: "tool-end", call: "c", outcome: "ok", content: [{ type: "text", text: hostile }] },
  ]
    .flatMap((event, index) => encode({ seq: index + 1, at: 1, event: event as Entry["event"] }))
    .map(
      ({ data }) =>
        (JSON.parse(data) as { choices: { delta: { content?: string } }[] }).choices[0]?.delta.content ?? "",
    )
    .join("");
  const [, tag, body] = /^\s*<details([^\n]*)>\n([^]*)\n<\/details>\s*$/.exec(text)!;
  expect(tag).not.toMatch(/[<>]/);
  expect(body).toContain("````text");
});
