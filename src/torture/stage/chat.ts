import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Scene, ToolName, Turn } from "./scene.ts";

interface ChatMessage {
  readonly role: string;
  readonly content?: string | readonly { readonly text?: string }[] | null;
  readonly tool_calls?: readonly unknown[] | null;
}
export interface ChatRequest {
  readonly messages: readonly ChatMessage[];
  readonly stream?: boolean;
  readonly tools?: readonly { readonly function?: { readonly name?: string } }[];
}

const textOf = ({ content }: ChatMessage): string =>
  typeof content === "string" ? content : (content ?? []).map(({ text = "" }) => text).join("");

const HEAD = { id: "chatcmpl-scripted", object: "chat.completion.chunk", created: 0, model: "scripted" };
const chunk = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ ...HEAD, choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;

/** Pieces without a pause go out together: a model that is faster than the server is what is wanted here. */
const PIECES_AT_ONCE = 64;

/** Answers as OpenAI's chat completions do. Which turn it is follows from the calls that the model has made since the user's message. */
export const answerChat = async (
  { messages, stream = false, tools = [] }: ChatRequest,
  find: (text: string) => Scene | undefined,
  response: ServerResponse,
): Promise<void> => {
  const at = messages.findLastIndex((message) => message.role === "user" && find(textOf(message)) !== undefined);
  const scene = at < 0 ? undefined : find(textOf(messages[at]!));
  const round = messages.slice(at + 1).filter(({ tool_calls }) => tool_calls?.length).length;
  const offered = new Set(tools.map((tool) => tool.function?.name ?? ""));
  const turn = (scene && turnOf(scene, round, offered)) ?? { say: ["There is nothing to play."] };
  if (!stream) return void answerWhole(scene, turn, callsOf(scene, turn, round, offered), response);
  if (scene) scene.asked++;
  let isOver = false;
  const closed = new Promise<void>((resolve) => response.on("close", resolve));
  response.on("close", () => {
    if (!isOver && scene) scene.aborted++;
  });
  response.writeHead(200, { "content-type": "text/event-stream" });
  const write = async (text: string): Promise<void> => {
    if (!response.write(text)) await Promise.race([new Promise((resolve) => response.once("drain", resolve)), closed]);
  };
  await write(chunk({ role: "assistant", content: "" }));
  let held = "";
  let pieces = 0;
  for (const piece of turn.say ?? []) {
    if (response.destroyed) return;
    if (typeof piece === "string") {
      held += chunk({ content: piece });
      if (turn.everyMs === undefined && ++pieces % PIECES_AT_ONCE !== 0) continue;
    }
    if (held) await write(held);
    held = "";
    if (typeof piece !== "string") await Promise.race([piece.opened, closed]);
    else if (turn.everyMs !== undefined) await sleep(turn.everyMs);
  }
  const calls = callsOf(scene, turn, round, offered);
  for (const [index, call] of calls.entries()) held += chunk({ tool_calls: [{ index, ...call }] });
  const usage = { ...HEAD, choices: [], usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } };
  isOver = true;
  if (scene) scene.finished++;
  const end = chunk({}, calls.length > 0 ? "tool_calls" : "stop");
  response.end(`${held}${end}data: ${JSON.stringify(usage)}\n\ndata: [DONE]\n\n`);
};

/** For agents that ask without a stream, such as sub-agents of some frameworks. */
const answerWhole = (
  scene: Scene | undefined,
  turn: Turn,
  calls: ReturnType<typeof callsOf>,
  response: ServerResponse,
): void => {
  if (scene) {
    scene.asked++;
    scene.finished++;
  }
  const content = (turn.say ?? []).filter((piece) => typeof piece === "string").join("");
  const message = { role: "assistant", content, ...(calls.length > 0 && { tool_calls: calls }) };
  const choices = [{ index: 0, message, finish_reason: calls.length > 0 ? "tool_calls" : "stop" }];
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  response
    .writeHead(200, { "content-type": "application/json" })
    .end(JSON.stringify({ ...HEAD, object: "chat.completion", choices, usage }));
};

const turnOf = (scene: Scene, round: number, offered: ReadonlySet<string>): Turn | undefined => {
  const turn = scene.script.turns[round];
  const missing = (turn?.calls ?? []).filter(({ tool }) => !nameOf(tool, offered)).map(({ tool }): ToolName => tool);
  for (const tool of missing) scene.missing.add(tool);
  return missing.length > 0 ? { say: [`There is no tool ${missing.join(", ")}.`] } : turn;
};

/** How frameworks call the tool that gives a task to a sub-agent, where they bring one. */
const DELEGATING: Readonly<Record<string, (task: string) => object>> = {
  delegate: (key) => ({ key }),
  delegate_task_to_member: (task) => ({ member_id: "helper", task }),
  task: (description) => ({ subagent_type: "helper", description }),
};

const nameOf = (tool: ToolName, offered: ReadonlySet<string>): string | undefined =>
  tool === "delegate"
    ? Object.keys(DELEGATING).find((name) => offered.has(name))
    : offered.has(tool)
      ? tool
      : undefined;

const callsOf = (scene: Scene | undefined, { calls = [] }: Turn, round: number, offered: ReadonlySet<string>) =>
  calls.map(({ tool, key }, index) => {
    const name = nameOf(tool, offered)!;
    const input = (DELEGATING[name] ?? ((whole: string) => ({ key: whole })))(scene!.key(key));
    return {
      id: `call_${scene!.name.slice("scene-".length)}_${round}_${index}`,
      type: "function",
      function: { name, arguments: JSON.stringify(input) },
    };
  });
