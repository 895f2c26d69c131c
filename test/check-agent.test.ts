import { afterEach, describe, expect, test } from "vitest";
import { checkAgent } from "../src/cli/check-agent.ts";
import { type Answering, startScriptedServer } from "./scripted-server.ts";

const servers: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

const verdict = async (answer: Answering) => {
  const server = await startScriptedServer(answer);
  servers.push(server);
  const { ok, message } = await checkAgent(server.url, "Hello", {});
  return { ok, message: message.replace(server.url, ""), requests: server.requests };
};

const stream =
  (...events: readonly (object | string)[]): Answering =>
  (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const event of events)
      response.write(`data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`);
    response.end();
  };

const step = { type: "step-start", step: "s" };
const end = { type: "run-end", outcome: "done" };

describe("check --agent", () => {
  test("accepts an agent with valid events", async () => {
    const { ok, message, requests } = await verdict(stream(step, { type: "step-end", step: "s", finish: "stop" }, end));
    expect({ ok, message }).toEqual({ ok: true, message: "ok: 3 events, 1 step, 0 calls" });
    expect(requests[0]).toMatchObject({ method: "POST", url: "/runs" });
    expect(JSON.parse(requests[0]!.body).messages[0].content[0].text).toBe("Hello");
  });

  test.each<[name: string, answer: Answering, message: string | RegExp]>([
    [
      "an error status",
      (response) => response.writeHead(500).end("no model"),
      "/runs: POST returned 500: no model (respond with 200 and a stream)",
    ],
    [
      "JSON instead of a stream",
      (response) => response.writeHead(200, { "content-type": "application/json" }).end("{}"),
      "/runs: the content type is application/json (send text/event-stream)",
    ],
    ["no events", stream(), /^\/runs: the stream has no events/],
    ["no run-end", stream(step), /^\/runs: the stream ends after 1 event without a run-end \(send /],
    ["data that is not JSON", stream(step, "{"), /^\/runs: event 2: its data is not JSON/],
    [
      "an unknown type",
      stream(step, { type: "text-dleta", part: "p", delta: "a" }),
      '/runs: event 2: there is no event type "text-dleta"; did you mean text-delta?',
    ],
    ["a missing field", stream({ type: "step-start" }), /^\/runs: event 1: .*step/],
    [
      "a call that executes within its step",
      stream(step, { type: "tool-start", call: "c", name: "t" }, { type: "tool-execute", call: "c" }),
      /^\/runs: event 3: /,
    ],
  ])("%s", async (_, answer, message) => {
    const found = await verdict(answer);
    expect(found.ok).toBe(false);
    expect(found.message).toMatch(message);
  });

  test("reports that no server is there", async () => {
    const { ok, message } = await checkAgent("http://127.0.0.1:9", "Hello", {});
    expect(ok).toBe(false);
    expect(message).toContain("is the agent running?");
  });
});
