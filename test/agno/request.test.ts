import { expect, onTestFinished, test } from "vitest";
import { agno, type AgnoOptions } from "../../src/sources/agno.ts";
import { start } from "../frameworks/play.ts";
import { type Answering, refuses, startScriptedServer, streams } from "../scripted-server.ts";

const EVENTS = [
  { event: "RunStarted" },
  { event: "ModelRequestStarted" },
  { event: "RunContent", content: "Hello." },
  { event: "ModelRequestCompleted" },
  { event: "RunCompleted", content: "Hello." },
];
const STREAM = EVENTS.map(
  (event, index) => `data: ${JSON.stringify({ run_id: "1", event_index: index, ...event })}\n\n`,
);

/** The form with which a run is started on the server. */
const formOf = async (target: Partial<AgnoOptions>, request: object): Promise<FormData> => {
  const answer: Answering = (response, asked) =>
    (asked.method === "POST" ? streams(...STREAM) : refuses(404, "no session"))(response, asked);
  const server = await startScriptedServer(answer);
  onTestFinished(() => server.close());
  const { ended } = await start(agno({ url: server.url, ...target }), "Hi", request);
  expect((await ended()).end.outcome).toBe("done");
  const { body, headers } = server.requests.find(({ method, url }) => method === "POST" && url.endsWith("/runs"))!;
  return await new Response(body, { headers: { "content-type": headers["content-type"]! } }).formData();
};

test.each([{ agent: "tutor" }, { team: "tutors" }])("%j gets the prompt, the user and the chat", async (target) => {
  const form = await formOf(target, { user: { id: "ann" }, thread: "chat-1" });
  expect(form.get("message")).toBe("Hi");
  expect(form.get("user_id")).toBe("ann");
  // The session of one user's chat. Another user with the same chat id has another.
  expect(form.get("session_id")).toBe("ann:chat-1");
  expect(JSON.parse(String(form.get("dependencies")))).toEqual({ user_id: "ann", chat_id: "chat-1" });
});

test("a chat without a user is the session itself", async () => {
  const form = await formOf({ agent: "tutor" }, { thread: "chat-1" });
  expect(form.get("session_id")).toBe("chat-1");
  expect(JSON.parse(String(form.get("dependencies")))).toEqual({ chat_id: "chat-1" });
});

test("if the thread is the session, its id is the chat's, whoever the user is", async () => {
  const form = await formOf({ agent: "tutor", session: "thread" }, { user: { id: "ann" }, thread: "chat-1" });
  expect(form.get("user_id")).toBe("ann");
  expect(form.get("session_id")).toBe("chat-1");
  expect(JSON.parse(String(form.get("dependencies")))).toEqual({ user_id: "ann", chat_id: "chat-1" });
  const wrong = { url: "http://127.0.0.1:7777", agent: "tutor", session: "user" } as unknown as AgnoOptions;
  expect(() => agno(wrong)).toThrow("session must be user:thread or thread");
});

test("requests of different users or threads never name the same session", async () => {
  const long = "t".repeat(255);
  // Parts of each other, however they are joined.
  const users = [undefined, "a", "b", "a:b", "a%3Ab", "a%253Ab"];
  const threads = ["a", "b", "a:b", "b:a", ":b", ":a:b", "a:b:a", `${long}1`, `${long}2`];
  const requests = users.flatMap((id) =>
    threads.map((thread) => ({ thread, ...(id !== undefined && { user: { id } }) })),
  );
  const ids = await Promise.all(requests.map(async (one) => (await formOf({ agent: "tutor" }, one)).get("session_id")));
  expect(new Set(ids).size).toBe(requests.length);
  // Agno stores no longer ones in MySQL.
  for (const id of ids) expect(String(id).length).toBeLessThanOrEqual(128);
});

test("without either, and for workflows, there are no dependencies", async () => {
  expect((await formOf({ agent: "tutor" }, {})).has("dependencies")).toBe(false);
  expect((await formOf({ workflow: "course" }, { user: { id: "ann" } })).has("dependencies")).toBe(false);
});
