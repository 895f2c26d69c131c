import { mkdirSync } from "node:fs";
import type { Source } from "./source.ts";
import { agent } from "./sources/agent.ts";
import { files } from "./tools/files.ts";
import { http } from "./tools/http.ts";
import { mcp } from "./tools/mcp.ts";
import { todos } from "./tools/todos.ts";

export { type FoundModel, findModels } from "./assistant/find-models.ts";

export interface AssistantOptions {
  /** `<provider>/<model>`. */
  readonly model: string;
  /** Other models that a request may name. */
  readonly models?: readonly string[];
  /** The directory that the agent may read, and write with the user's consent. Created if missing. */
  readonly workspace: string;
}

const INSTRUCTIONS = [
  "You are a helpful assistant. Answer in the user's language, in plain words, and be brief.",
  "You can work with files in a workspace, fetch web pages, and keep a todo list for longer tasks.",
  "Use `task` for work that can be done independently. The user must approve every file write.",
].join(" ");

/** The default agent for users who have a model but no configuration. It cannot run commands. */
export const assistant = ({ model, models = [], workspace }: AssistantOptions): Source => {
  mkdirSync(workspace, { recursive: true });
  const reading = files({ workspace, readOnly: true });
  return agent({
    model,
    models,
    description: "Works with files, the web and todos.",
    instructions: INSTRUCTIONS,
    suggestions: [
      "What files are in the workspace?",
      "Read https://example.com and tell me what it says",
      "Write a haiku about rain to haiku.txt",
    ],
    tools: [...files({ workspace, approval: "always" }), http(), todos(), mcp()],
    agents: {
      researcher: {
        description: "Researches a question in the workspace's files and on the web.",
        instructions: "Research the question and report what you found, with your sources. Be brief.",
        tools: [...reading, http()],
      },
    },
  });
};
