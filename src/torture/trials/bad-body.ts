import { must, type Trial, yes } from "../trial.ts";

const BODIES: readonly (readonly [name: string, body: string])[] = [
  ["no body", ""],
  ["no JSON", "hello {"],
  ["a list", "[]"],
  ["null", "null"],
  ["no fields", "{}"],
  [
    "numbers for everything",
    JSON.stringify({ messages: 7, message: 7, id: 7, threadId: 7, runId: 7, run: 7, input: 7 }),
  ],
  ["nulls in a list", JSON.stringify({ messages: [null], id: "x", threadId: "x", runId: "x", run: "x" })],
  ["100,000 brackets", "[".repeat(100_000)],
];

export const badBody: Trial = {
  name: "bad-body",
  shows: "a malformed body is refused, and the server continues",
  limitMs: 60_000,
  run: async ({ driver, line, play }) => {
    for (const [name, body] of BODIES) {
      const start = performance.now();
      const response = await driver.converse({}).post(body, line());
      const text = await response.text();
      must(response.status < 500, `${name}: the response is ${response.status}, a server error: ${text.slice(0, 100)}`);
      must(response.status >= 400, `${name}: the response is ${response.status}, a success`);
      must(performance.now() - start < 5000, `${name}: the response took too long`);
    }
    const scene = play({ turns: [{ say: ["still here"] }] });
    const viewer = driver.converse({}).send(scene.message, line());
    await viewer.over;
    must(viewer.screen.text === "still here", "a valid request after them gets no answer");
    return yes(`all ${BODIES.length} malformed bodies get a client error`);
  },
};
