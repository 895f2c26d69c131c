import type { ServerFacts } from "../../dialect.ts";
import type { Json, Message } from "../../events.ts";

/**
 * Open WebUI asks a chat's model for a title, tags, follow-ups, queries and the like. These prompts are not for the
 * agent. Responds immediately in the expected format, from data of the chat's latest run or else without a model.
 * Undefined for a prompt to the agent.
 */
export const housekeeping = (
  headers: Headers,
  messages: readonly Message[],
  thread: string | undefined,
): ((facts: ServerFacts) => Promise<string>) | undefined => {
  const prompt = textOf(messages.findLast(({ role }) => role === "user"));
  const named = headers.get("x-openwebui-task")?.trim() ?? "";
  // Versions before 0.10.0 send the unexpanded template.
  const task = named !== "" && !named.includes("{{") ? named : taskOf(prompt, textOf(messages[0]));
  if (task === undefined) return undefined;
  if (!Object.hasOwn(ANSWERS, task)) return async () => "";
  const answer = ANSWERS[task]!;
  return async ({ latestData }) => answer(prompt, thread === undefined ? undefined : await latestData?.(thread));
};

type Data = ReadonlyMap<string, Json | undefined> | undefined;

const ANSWERS: Readonly<Record<string, (prompt: string, data: Data) => string>> = {
  title_generation: (prompt, data) => JSON.stringify({ title: data?.get("title") ?? titleOf(prompt) }),
  tags_generation: (_, data) => JSON.stringify({ tags: data?.get("tags") ?? [] }),
  follow_up_generation: (_, data) => JSON.stringify({ follow_ups: data?.get("follow-ups") ?? [] }),
  query_generation: () => JSON.stringify({ queries: [] }),
  autocomplete_generation: () => JSON.stringify({ text: "" }),
  image_prompt_generation: (prompt) => JSON.stringify({ prompt: lastWords(prompt) }),
  emoji_generation: () => "💬",
  function_calling: () => JSON.stringify({ tool_calls: [] }),
  moa_response_generation: (prompt) => after(prompt, "Responses from models:"),
  context_compaction: (prompt) => after(prompt, "### Messages Being Compacted:").slice(0, MAX_COMPACTED),
};

const MAX_COMPACTED = 16_000;

/** The opening of each of Open WebUI's prompts. Its template for retrieved documents begins with `### Task:` too. */
const PROMPTS: readonly (readonly [RegExp, string])[] = [
  [/^### Task:\s*Generate a concise.{0,40}title/i, "title_generation"],
  [/^### Task:\s*Generate 1-3 broad tags/i, "tags_generation"],
  [/^### Task:\s*(?:Suggest 3-5 relevant follow-up|Predict 3-5 useful messages)/i, "follow_up_generation"],
  [/^### Task:\s*Analyze the chat history to determine the necessity of generating/i, "query_generation"],
  [/^### Task:\s*You are an autocompletion system/i, "autocomplete_generation"],
  [/^### Task:\s*Generate a detailed prompt for/i, "image_prompt_generation"],
  [/^### Task:\s*Summarize the conversation history/i, "context_compaction"],
  [/^Your task is to reflect the speaker's likely facial expression/i, "emoji_generation"],
  [/^You have been provided with a set of responses from various models/i, "moa_response_generation"],
  // A customized prompt that asks for JSON, as all of them do.
  [/^### Task:(?!\s*Respond to the user query)[^]*### Output:\s*(?:JSON|Return)/i, "other"],
];

const taskOf = (prompt: string, system: string): string | undefined => {
  if (/^Available Tools: [^]*Your task is to choose and return the correct tool/.test(system))
    return "function_calling";
  return PROMPTS.find(([opening]) => opening.test(prompt.trimStart()))?.[1];
};

const textOf = (message: Message | undefined): string =>
  (message?.content ?? []).map((part) => (part.type === "text" ? part.text : "")).join("\n");

const MAX_WORDS = 6;
const MAX_CHARACTERS = 50;

/** The first words of the user's first message. */
const titleOf = (prompt: string): string => {
  const line = (linesOf(prompt)[0] ?? "").replaceAll(/[#*_`>[\]{}<]/g, "").trim();
  const words = line.split(/\s+/).slice(0, MAX_WORDS).join(" ");
  const cut = [...words].slice(0, MAX_CHARACTERS).join("");
  return cut === "" ? "New Chat" : cut.length < line.length ? `${cut}…` : cut;
};

const lastWords = (prompt: string): string => linesOf(prompt).at(-1)?.trim() ?? "";

/** The user's messages in the history that these prompts contain. */
const linesOf = (prompt: string): string[] => {
  const history = /<chat_history>\s*([^]*?)\s*<\/chat_history>/i.exec(prompt)?.[1] ?? "";
  return [...history.matchAll(/^\s*(?:USER|User|user):\s*(.*)$/gm)].map(([, question = ""]) => question);
};

const after = (prompt: string, mark: string): string =>
  prompt.slice(Math.max(0, prompt.indexOf(mark)) + mark.length).trim();
