import { describe, expect, test } from "vitest";
import type { Dialect } from "../../src/dialect.ts";
import { dialects } from "../../src/config/dialects.ts";
import { agUi } from "../../src/dialects/ag-ui.ts";
import { aiSdk } from "../../src/dialects/ai-sdk.ts";
import { deepAgent } from "../../src/dialects/deep-agent.ts";
import { forge } from "../../src/dialects/forge.ts";
import { openWebui } from "../../src/dialects/open-webui.ts";
import { openaiChat } from "../../src/dialects/openai-chat.ts";
import { openaiResponses } from "../../src/dialects/openai-responses.ts";
import { ralph } from "../../src/dialects/ralph.ts";
import type { Entry, Event, Finish } from "../../src/events.ts";

const link = () => "";

const RESPONSE_REASONS = { length: "max_output_tokens", filter: "content_filter", interrupted: "interrupted" };

/** A finished run whose last step ended with this finish. */
const endingAs = (finish: Finish): Entry[] => {
  const events: Event[] = [
    { type: "run-start", protocol: 1, run: "r", name: "test" },
    { type: "step-start", step: "s" },
    { type: "text-start", part: "p" },
    { type: "text-delta", part: "p", delta: "Half of" },
    { type: "text-end", part: "p" },
    { type: "step-end", step: "s", finish },
    { type: "run-end", outcome: "done", answer: ["p"] },
  ];
  return events.map((event, index) => ({ seq: index + 1, at: 1_700_000_000_000 + index, event }));
};

// The data of all frames that a dialect's clients get.
const dataOf = (dialect: Dialect, finish: Finish): string[] => {
  const encode = dialect.encode({ link });
  return endingAs(finish).flatMap((entry) => encode(entry).map(({ data }) => data));
};

const wholeOf = (dialect: Dialect, finish: Finish): { status: number; body: string } => {
  const answer = dialect.answer!({ link });
  for (const entry of endingAs(finish)) answer.take(entry);
  return answer.body();
};

describe.each([
  { finish: "length", why: "output token limit", todo: "continue", reason: "length" },
  { finish: "filter", why: "content filter", todo: "Rephrase", reason: "content_filter" },
  // OpenAI has no reason for this. `length` is the one for a truncated answer.
  {
    finish: "interrupted",
    why: "the process that was writing it ended",
    todo: "Send the message again",
    reason: "length",
  },
] as const)("an answer that ended as $finish", ({ finish, why, todo, reason }) => {
  const streamOf = (dialect: Dialect) => dataOf(dialect, finish).join("\n");

  test("is the result of a run in AG-UI, with a notice before it", () => {
    const [notice, finished] = dataOf(agUi, finish)
      .slice(-2)
      .map((data) => JSON.parse(data) as object);
    expect(notice).toMatchObject({ type: "ACTIVITY_SNAPSHOT", activityType: "runcast.notice" });
    expect(JSON.stringify(notice)).toContain(why);
    expect(JSON.stringify(notice)).toContain(todo);
    expect(finished).toMatchObject({ type: "RUN_FINISHED", result: { finish }, outcome: { type: "success" } });
  });

  test("has its finish reason in chat completions, streamed or not", () => {
    expect(streamOf(openaiChat)).toContain(`"finish_reason":"${reason}"`);
    expect(wholeOf(openaiChat, finish).body).toContain(`"finish_reason":"${reason}"`);
  });

  test("is an incomplete response with an incomplete message", () => {
    const frames = dataOf(openaiResponses, finish).map((data) => JSON.parse(data) as { type: string });
    expect(frames.at(-1)).toMatchObject({
      type: "response.incomplete",
      response: {
        status: "incomplete",
        incomplete_details: { reason: RESPONSE_REASONS[finish] },
        output: [{ type: "message", status: "incomplete" }],
      },
    });
    expect(frames.find(({ type }) => type === "response.output_item.done")).toMatchObject({
      item: { status: "incomplete" },
    });
  });

  test("has its finish reason in the AI SDK's stream, and a message part that explains what to do", () => {
    const chunks = dataOf(aiSdk, finish).flatMap((data) => (data === "[DONE]" ? [] : [JSON.parse(data) as object]));
    const finishReason = { length: "length", filter: "content-filter", interrupted: "other" }[finish];
    expect(chunks.slice(-2)).toMatchObject([
      { type: "data-end", data: { outcome: "done", finish, message: expect.stringContaining(why) } },
      { type: "finish", finishReason },
    ]);
    expect(JSON.stringify(chunks.at(-2))).toContain(todo);
  });

  test("has its finish reason and a status line in Open WebUI", () => {
    const text = streamOf(openWebui);
    expect(text).toContain(`"finish_reason":"${reason}"`);
    expect(text).not.toContain('"Complete"');
    const status = dataOf(openWebui, finish).findLast((data) => data.includes('"type":"status"'));
    expect(status).toContain(why);
    expect(status).toContain(todo);
    const { body } = wholeOf(openWebui, finish);
    expect(body).toContain(`"finish_reason":"${reason}"`);
    expect(body).toContain("Half of");
    expect(body).toContain(why);
  });

  test("ends as an error in Ralph, below its text", () => {
    const frames = dataOf(ralph, finish).map((data) => JSON.parse(data) as { type: string; message?: string });
    expect(frames.map(({ type }) => type)).toEqual(["status", "message", "message", "error", "done"]);
    expect(frames.at(-2)!.message).toContain(why);
    expect(frames.at(-2)!.message).toContain(todo);
  });

  test("is noted in the answer and the status of Deep Agent, streamed or not", () => {
    const text = streamOf(deepAgent);
    expect(text.match(new RegExp(why, "g"))?.length).toBe(2);
    expect(text).toContain(todo);
    expect(dataOf(deepAgent, finish).at(-1)).toContain(`"finish":"${finish}"`);
    const { message } = JSON.parse(wholeOf(deepAgent, finish).body) as { message: { content: string } };
    expect(message.content).toMatch(/^Half of\n\n/);
    expect(message.content).toContain(why);
  });

  test("has a note below its text in Forge", () => {
    const { response } = JSON.parse(dataOf(forge, finish).at(-1)!) as { response: string };
    expect(response).toMatch(/^Half of\n\n/);
    expect(response).toContain(why);
    expect(response).toContain(todo);
  });
});

describe.each(dialects)("$name", (dialect) => {
  test("adds nothing to a complete answer", () => {
    expect(dataOf(dialect, "stop").join("\n")).not.toContain("answer is incomplete");
  });

  test.each(["length", "filter", "interrupted"] as const)("does not end like a complete answer after %s", (finish) => {
    expect(dataOf(dialect, finish)).not.toEqual(dataOf(dialect, "stop"));
  });
});

test("a provider's own refusal text is the answer", () => {
  const chat = openaiChat.decode();
  const refusing = { id: "c", choices: [{ index: 0, delta: { refusal: "I cannot help with that." } }] };
  expect(chat({ data: JSON.stringify(refusing) })).toContainEqual(
    expect.objectContaining({ type: "text-delta", delta: "I cannot help with that." }),
  );
  const responses = openaiResponses.decode();
  const delta = { type: "response.refusal.delta", item_id: "i", content_index: 0, delta: "I cannot help with that." };
  expect(responses({ event: delta.type, data: JSON.stringify(delta) })).toContainEqual(
    expect.objectContaining({ type: "text-delta", delta: "I cannot help with that." }),
  );
});
