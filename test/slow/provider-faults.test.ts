import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import type { Event, EventOf, EventType } from "../../src/events.ts";
import { provider } from "../../src/models/provider.ts";
import { agent } from "../../src/sources/agent.ts";
import { defineTool } from "../../src/tool.ts";
import { request, setUp, untilEnd, untilEvent } from "../running.ts";
import { type Serving, serve } from "../another-process.ts";

let serving: Serving;
beforeAll(async () => {
  serving = await serve("faulty-provider.ts");
});
afterAll(() => serving.stop());

const KEY = "sk-the-secret-of-the-test";
const echo = defineTool({
  name: "echo",
  description: "Says it again.",
  input: z.object({ text: z.string() }),
  run: ({ text }) => text,
});

const start = async (fault: string, stallMs = 60_000) => {
  const models = provider({ compatible: { acme: { baseUrl: `${serving.url}/${fault}` } } });
  const source = agent({ name: "test", model: "acme/m", provider: models, tools: [echo], stallMs });
  const { runner, log } = setUp();
  const { run } = await runner.start({ ...request, secrets: { ACME_API_KEY: KEY } }, { name: "test", source });
  return { runner, log, run };
};
const suffer = async (fault: string) => {
  const { log, run } = await start(fault, fault.startsWith("stall") ? 3000 : undefined);
  if (fault.startsWith("reset-in")) {
    await untilEvent(log, run, ({ type }) => type === "text-delta" || type === "tool-input-delta");
    await fetch(`${serving.url}/${fault}`);
  }
  const events = await untilEnd(log, run);
  expect(JSON.stringify(events)).not.toContain(KEY);
  const all = <Type extends EventType>(type: Type) => events.filter((event) => event.type === type) as EventOf<Type>[];
  return { events, all, end: all("run-end")[0]!, text: textOf(events), retries: all("step-retry") };
};
const textOf = (events: readonly Event[]) =>
  events.map((event) => (event.type === "text-delta" ? event.delta : "")).join("");

describe("a failure before any output is retried", () => {
  test.each([
    ["limited-once", "model-rate-limited"],
    ["reset-at-once", "model-unreachable"],
    ["stall-once", "model-stalled"],
    ["overloaded", "model-unavailable"],
  ])("%s", async (fault, code) => {
    const { end, text, retries, all } = await suffer(fault);
    expect(retries).toMatchObject([{ attempt: 2, error: { code, retryable: true, hint: expect.any(String) } }]);
    if (fault === "limited-once") expect(retries[0]?.wait).toBe(0);
    expect(text).toBe("Hello there.");
    expect(all("step-start")).toHaveLength(1);
    expect(end).toMatchObject({ outcome: "done", usage: { input: 5, output: 7 } });
  });

  test("but not forever", async () => {
    const { end, retries } = await suffer("broken");
    expect(retries.map(({ attempt, wait }) => [attempt, wait])).toEqual([
      [2, 1],
      [3, 1],
    ]);
    expect(end.error).toMatchObject({ code: "model-unavailable", message: "the server broke", retryable: true });
  });

  test("and not if the provider requests a delay of a day", async () => {
    const { end, retries } = await suffer("limited");
    expect(retries).toEqual([]);
    expect(end.error).toMatchObject({ code: "model-rate-limited", hint: expect.stringContaining("86400 s.") });
  });
});

describe("a failure after some output ends the run as retryable", () => {
  test.each([
    ["reset-in-text", "model-unreachable"],
    ["stall", "model-stalled"],
    ["cut-json", "model-truncated"],
    ["cut-off", "model-truncated"],
  ])("%s", async (fault, code) => {
    const { end, retries, all, text } = await suffer(fault);
    expect(text).toBe("Hel");
    expect(retries).toEqual([]);
    expect(all("text-end").map(({ cut }) => cut ?? false)).toEqual([true]);
    expect(all("step-end")[0]?.finish).toBe("error");
    expect(end).toMatchObject({ outcome: "error", error: { code, retryable: true, hint: expect.any(String) } });
    if (code === "model-truncated")
      expect(end.error?.message).toBe("The model's stream ended before its answer was complete.");
    if (fault === "stall") await serving.printed("closed stall");
  });

  test.each([
    ["reset-in-arguments", "model-unreachable"],
    ["cut-off-in-arguments", "model-truncated"],
  ])("%s", async (fault, code) => {
    const { end, all } = await suffer(fault);
    expect(
      all("tool-input-delta")
        .map(({ delta }) => delta)
        .join(""),
    ).toBe('{"text": "ha');
    expect(all("tool-execute")).toEqual([]);
    expect(all("tool-end")).toMatchObject([{ outcome: "interrupted" }]);
    expect(end).toMatchObject({ outcome: "error", error: { code, retryable: true } });
  });
});

describe("refusals by the provider are explained", () => {
  test.each([
    ["unauthorized", "model-unauthorized", "Incorrect API key provided: [secret].", "Check the key in ACME_API_KEY."],
    ["quota", "model-quota", "no credit", "credit"],
    ["unknown", "model-unknown", "The model m does not exist", "model's name"],
    ["too-long", "model-context-length", "This model's maximum context length is 8192 tokens.", "new conversation"],
    ["filtered", "model-filtered", "The provider's content filter stopped the answer.", "Rephrase"],
    ["page-200", "model-invalid", "The model's URL returned a web page: Sign in to the hotel's network.", "base URL"],
    ["key-400", "model-unauthorized", "API key not valid. Pass a valid one.", "Check the key in ACME_API_KEY."],
  ])("%s", async (fault, code, message, hint) => {
    const { end, retries } = await suffer(fault);
    expect(retries).toEqual([]);
    expect(end).toMatchObject({
      outcome: "error",
      error: { code, message, retryable: false, hint: expect.stringContaining(hint) },
    });
  });

  test("page-502", async () => {
    const { end, retries } = await suffer("page-502");
    expect(retries).toHaveLength(2);
    expect(end.error).toMatchObject({
      code: "model-unavailable",
      message: "The provider returned a web page and the status 502: 502 Bad Gateway.",
      retryable: true,
    });
  });
});

describe("oddities are not failures", () => {
  test("repeated ids", async () => {
    const { end, all, text } = await suffer("twins");
    const calls = all("tool-start").map(({ call }) => call);
    expect(new Set(calls).size).toBe(4);
    expect(all("tool-end").map(({ content }) => content)).toEqual(
      ["a", "b", "a", "b"].map((words) => [{ type: "text", text: words }]),
    );
    expect(text).toBe("Hello there.");
    expect(end.outcome).toBe("done");
  });

  test("no usage", async () => {
    const { end, all } = await suffer("no-usage");
    expect(end.outcome).toBe("done");
    expect([end.usage, all("step-end")[0]?.usage]).toEqual([undefined, undefined]);
  });
});

test("a cancel closes the request at the provider", async () => {
  const { runner, log, run } = await start("endless");
  await untilEvent(log, run, ({ type }) => type === "text-delta");
  expect(await runner.cancel(run)).toBe("cancelled");
  await serving.printed("closed endless");
  expect((await untilEnd(log, run)).slice(-3)).toMatchObject([
    { type: "text-end", cut: true },
    { type: "step-end", finish: "cancelled" },
    { type: "run-end", outcome: "cancelled" },
  ]);
});
