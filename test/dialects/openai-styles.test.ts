import { describe, expect, test } from "vitest";
import { demoAgent } from "../../src/models/demo.ts";
import { endOf, openai, stories, wordsOf } from "./openai-client.ts";
import { native } from "../../src/dialects/native.ts";
import { openaiChat } from "../../src/dialects/openai-chat.ts";
import type { Entry, Event } from "../../src/events.ts";
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

const HOSTILE = '</details>\n```\n<script>"\u2028&';

/** The text of one call in the style `details`. */
const blockOf = (...events: Event[]): string => {
  const encode = openaiChat.encode({ link: ({ file }) => `https://runcast.example/${file}`, style: DETAILS });
  return (
    [
      { type: "run-start", protocol: 2, run: "r", name: "test" },
      { type: "step-start", step: "s" },
      { type: "tool-start", call: "c", name: `look"><b>` },
      { type: "tool-input-end", call: "c", input: { path: HOSTILE } },
      { type: "step-end", step: "s", finish: "tools" },
      { type: "tool-execute", call: "c" },
      ...events,
    ] as Event[]
  )
    .flatMap((event, index) => encode({ seq: index + 1, at: 1, event }))
    .map(
      ({ data }) =>
        (JSON.parse(data) as { choices: { delta: { content?: string } }[] }).choices[0]?.delta.content ?? "",
    )
    .join("");
};
const DETAILS = JSON.stringify({ calls: "details" });

test("nothing in a tool's result can end its block", () => {
  const text = blockOf({ type: "tool-end", call: "c", outcome: "ok", content: [{ type: "text", text: HOSTILE }] });
  const [, tag, body] = /^\s*<details([^\n]*)>\n([^]*)\n<\/details>\s*$/.exec(text)!;
  expect(tag).not.toMatch(/[<>]/);
  expect(body).toContain("````text");
});

test("a block lists the files of the result and the pages that the call embeds, as far as they fit", () => {
  const page = `<!doctype html><p title="a">1 < 2\n${HOSTILE}</p>`;
  const text = blockOf(
    { type: "embed", embed: "e1", call: "c", html: "<p>old</p>" },
    { type: "embed", embed: "e1", call: "c", html: page },
    { type: "embed", embed: "e2", call: "c", url: "https://charts.example/1" },
    { type: "embed", embed: "e3", call: "c", url: "javascript:alert(1)" },
    { type: "embed", embed: "e4", call: "c", html: "x".repeat(40_000) },
    {
      ...{ type: "tool-end", call: "c", outcome: "ok" },
      content: [{ type: "file", file: "f", mediaType: "image/png", bytes: 3, name: "a.png" }],
    },
  );
  const [tag = ""] = /<details[^\n]*>$/m.exec(text) ?? [];
  const listOf = (name: string): unknown[] => {
    const [, value = "[]"] = new RegExp(` ${name}="([^"]*)"`).exec(tag) ?? [];
    const plain = value.replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&gt;", ">");
    return JSON.parse(plain.replaceAll("&amp;", "&")) as unknown[];
  };
  const [html, ...others] = listOf("embeds");
  expect(html).toContain(page.slice("<!doctype html>".length).replace("\u2028", " "));
  expect(html).toContain("iframe:height");
  expect(others).toEqual(["https://charts.example/1"]);
  expect(listOf("files")).toEqual([
    { type: "image", url: "https://runcast.example/f", name: "a.png", content_type: "image/png", size: 3 },
  ]);
});
