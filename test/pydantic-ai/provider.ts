import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

interface Reply {
  readonly thinking?: string;
  readonly text?: string;
  readonly calls?: readonly (readonly [name: string, input: object])[];
  readonly fails?: number;
  /** Milliseconds between two pieces. */
  readonly gapMs?: number;
}

const mail = (to: string) => ["send_mail", { to }] as const;

/** The model's replies: the first one to the message that names the story, then one after each round of results. */
const STORIES: Readonly<Record<string, readonly Reply[]>> = {
  HELLO: [{ text: "Hello there, friend." }],
  THINK: [{ thinking: "Somebody wants a thought. I have one.", text: "I thought about it: yes." }],
  TWO: [
    {
      text: "Let me look.",
      calls: [
        ["get_weather", { city: "Paris" }],
        ["get_time", { city: "Paris" }],
      ],
    },
    { text: "It is sunny and noon." },
  ],
  FAIL: [{ text: "Trying.", calls: [["lookup_order", { order: "42" }]] }, { text: "The order system is down." }],
  WRONG: [{ calls: [["get_weather", { city: 12 }]] }, { text: "Those arguments were wrong." }],
  MAIL: [{ text: "I need your approval.", calls: [mail("ann")] }, { text: "That was the mail." }],
  MAILS: [{ calls: [mail("ann"), mail("bob"), ["get_weather", { city: "Paris" }]] }, { text: "Those were the mails." }],
  MAP: [{ text: "Please look.", calls: [["show_map", { city: "Paris" }]] }, { text: "You see Paris." }],
  HELPER: [{ text: "A helper looks.", calls: [["ask_helper", { task: "HELLO" }]] }, { text: "My helper is back." }],
  PAIR: [
    {
      text: "Two helpers look.",
      calls: [
        ["ask_helper", { task: "HELLO" }],
        ["ask_helper", { task: "THINK" }],
      ],
    },
    { text: "Both are back." },
  ],
  SLOWTOOL: [{ text: "This takes a while.", calls: [["slow_tool", { seconds: 600 }]] }, { text: "Done waiting." }],
  SLOW: [{ text: "going and going ".repeat(200), gapMs: 20 }],
  ERROR: [{ fails: 400 }],
};

/** A model provider that implements OpenAI's chat completions and plays these stories. */
export const startProvider = async (): Promise<{ readonly url: string; close(): Promise<void> }> => {
  let calls = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { messages } = JSON.parse(Buffer.concat(chunks).toString()) as { messages: readonly PromptMessage[] };
      void answer(replyTo(messages), response, () => `call_${++calls}`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
};

interface PromptMessage {
  readonly role: string;
  readonly content?: unknown;
}

const replyTo = (messages: readonly PromptMessage[]): Reply => {
  const asked = messages.findLastIndex(({ role }) => role === "user");
  const [name = "HELLO"] = /[A-Z]{3,}/.exec(JSON.stringify(messages[asked]?.content)) ?? [];
  const after = messages.slice(asked + 1);
  const rounds = after.filter(({ role }, index) => role === "tool" && after[index - 1]?.role !== "tool").length;
  const story = STORIES[name] ?? STORIES["HELLO"]!;
  return story[Math.min(rounds, story.length - 1)]!;
};

const answer = async (reply: Reply, response: ServerResponse, newId: () => string): Promise<void> => {
  if (reply.fails !== undefined) {
    response.writeHead(reply.fails, { "content-type": "application/json" });
    return void response.end(JSON.stringify({ error: { message: "the model is out of order", code: "model_broken" } }));
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = async (delta: object, finish: string | null = null): Promise<void> => {
    if (response.destroyed) return;
    const choices = [{ index: 0, delta, finish_reason: finish }];
    response.write(
      `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices })}\n\n`,
    );
    await sleep(reply.gapMs ?? 2);
  };
  await send({ role: "assistant", content: "" });
  for (const piece of pieces(reply.thinking)) await send({ reasoning_content: piece });
  for (const piece of pieces(reply.text)) await send({ content: piece });
  for (const [index, [name, input]] of (reply.calls ?? []).entries()) {
    await send({ tool_calls: [{ index, id: newId(), type: "function", function: { name, arguments: "" } }] });
    for (const piece of pieces(JSON.stringify(input)))
      await send({ tool_calls: [{ index, function: { arguments: piece } }] });
  }
  await send({}, reply.calls ? "tool_calls" : "stop");
  response.end("data: [DONE]\n\n");
};

const pieces = (text = ""): readonly string[] => text.match(/[^]{1,7}/g) ?? [];
