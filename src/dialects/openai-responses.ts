import { z } from "zod";
import type { Dialect } from "../dialect.ts";
import { createDecoder } from "./openai-responses/decode.ts";
import { readCancel, readFollow, readStart, RESPONSES, responsesSchema, write } from "./openai-responses/request.ts";
import { createEncoder } from "./openai-responses/encode.ts";
import { jsonSlot } from "./frames/json-slot.ts";
import { lossless } from "./frames/lossless.ts";
import { openaiCoverage } from "./openai/coverage.ts";
import { openaiError } from "./openai/errors.ts";

/** An event of a type that clients do not know and skip. */
const slot = jsonSlot('{"type":"runcast","runcast":', "runcast");
const codec = lossless({ encode: (options) => createEncoder(options).take, decode: createDecoder }, slot);

/**
 * OpenAI's Responses API: a response is a run. Its events are numbered, so a client can resume a stream, and another
 * response can continue it. The agent runs its own tools, which do not appear. Tools in the request are run by the client.
 */
export const openaiResponses: Dialect = {
  name: "openai-responses",
  contentType: "text/event-stream; charset=utf-8",
  headers: {},
  routes: [
    {
      method: "POST",
      path: RESPONSES,
      does: "start",
      summary: "A response for OpenAI clients. The model is an agent.",
      body: () => z.toJSONSchema(responsesSchema, { io: "input", unrepresentable: "any" }),
    },
    {
      method: "GET",
      path: `${RESPONSES}/:response`,
      does: "follow",
      summary: "A response in its current state, or with ?stream=true its events after ?starting_after=.",
    },
    { method: "POST", path: `${RESPONSES}/:response/cancel`, does: "cancel", summary: "Cancel a response." },
  ],
  read: ({ does }, request) => {
    if (does === "start") return readStart(request);
    return does === "follow" ? readFollow(request) : readCancel(request);
  },
  write,
  ...codec,
  answer: (options) => {
    const { take, response } = createEncoder(options);
    return { take: (entry) => void take(entry), body: () => ({ status: 200, body: JSON.stringify(response()) }) };
  },
  heartbeat: { everyMs: 15_000, frames: () => [], comment: "working" },
  refuse: (problem) => {
    // These clients expect a deleted response to be reported as not found.
    const status = problem.status === 410 ? 404 : problem.status;
    return { status, body: JSON.stringify({ error: openaiError({ ...problem, status }) }) };
  },
  disconnect: "cancel",
  asks: "link",
  coverage: openaiCoverage({
    inside: { loses: "the agent's own tools are not items of a response: clients would run a call that they see" },
    subAgents: { loses: "sub-agent output is not an item of a response: clients would mistake it for the answer" },
    aside: { loses: "a response has no item for it" },
    askStart: { loses: "a response cannot ask questions; its reasoning says where to answer" },
    askEnd: { loses: "a response cannot ask questions" },
  }),
};
