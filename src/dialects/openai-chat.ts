import { z } from "zod";
import type { Dialect } from "../dialect.ts";
import { Refusal } from "../source.ts";
import { createAnswer } from "./openai-chat/answer.ts";
import { createDecoder } from "./openai-chat/decode.ts";
import { createEncoder } from "./openai-chat/encode.ts";
import { readStart, splitModel, writeStart } from "./openai-chat/request.ts";
import { jsonSlot } from "./frames/json-slot.ts";
import { lossless } from "./frames/lossless.ts";
import { chatSchema } from "./openai/chat-request.ts";
import { openaiCoverage } from "./openai/coverage.ts";
import { openaiError } from "./openai/errors.ts";

const MODELS = "/v1/models";

/** A chunk without choices, which clients skip. */
const slot = jsonSlot('{"object":"chat.completion.chunk","choices":[],"runcast":', "runcast");
const codec = lossless({ encode: createEncoder, decode: createDecoder }, slot);

/**
 * OpenAI's chat completions: every agent is a model. The agent runs its own tools, which do not appear. Tools in the
 * request are run by the client, and their results arrive with the next request.
 */
export const openaiChat: Dialect = {
  name: "openai-chat",
  contentType: "text/event-stream; charset=utf-8",
  headers: {},
  routes: [
    {
      method: "POST",
      path: "/v1/chat/completions",
      does: "start",
      summary: "A chat completion for OpenAI clients. The model is an agent.",
      body: () => z.toJSONSchema(chatSchema, { io: "input", unrepresentable: "any" }),
    },
    { method: "GET", path: MODELS, does: "reply", summary: "The agents, as models." },
    { method: "GET", path: `${MODELS}/:model`, does: "reply", summary: "One agent, as a model." },
  ],
  read: (route, request) => {
    if (route.does === "start") return readStart(request);
    const wanted = request.params["model"];
    return {
      do: "reply",
      reply: ({ agents }) => {
        const data = agents.map(({ name }) => ({ id: name, object: "model", created: CREATED, owned_by: "runcast" }));
        if (wanted === undefined) return { object: "list", data };
        const found = data.find(({ id }) => id === wanted || id === splitModel(wanted).agent);
        if (found) return { ...found, id: wanted };
        throw new Refusal("unknown-agent", `there is no agent ${wanted.slice(0, 100)}`, { status: 404 });
      },
    };
  },
  write: (command) => {
    if (command.do !== "start") throw new Error("a chat completion can only be started");
    return writeStart(command);
  },
  ...codec,
  answer: createAnswer,
  heartbeat: { everyMs: 15_000, frames: () => [], comment: "working" },
  refuse: (problem) => ({ status: problem.status, body: JSON.stringify({ error: openaiError(problem) }) }),
  disconnect: "cancel",
  asks: "link",
  coverage: openaiCoverage({
    inside: { loses: "a completion has no place for the agent's own tools; clients would run a call that they see" },
    subAgents: { loses: "sub-agent output is never content, so clients do not see sub-agents" },
    aside: { loses: "a completion has no place for it outside the text" },
    askStart: { loses: "a completion cannot ask questions; its reasoning says where to answer" },
    askEnd: { loses: "a completion cannot ask questions" },
  }),
};

/** Clients expect a constant creation time of a model, which agents do not have. */
const CREATED = 1_767_225_600;
