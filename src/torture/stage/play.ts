import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { ModelCall, ModelFormat } from "./format.ts";
import type { Scene, ToolName, ModelTurn } from "./scene.ts";

/** Without a pause, pieces are sent in batches, so the model is faster than the server. */
const PIECES_AT_ONCE = 64;
/** About as fast as fast models write. */
const TYPICAL_MS = 10;

/** Responds as the model, in the given format. The number of messages with calls since the user's message determines the turn. */
export const playModel = async (
  format: ModelFormat,
  body: unknown,
  find: (text: string) => Scene | undefined,
  response: ServerResponse,
): Promise<void> => {
  const { messages, isStream, tools } = format.read(body);
  const at = messages.findLastIndex(({ role, text }) => role === "user" && find(text) !== undefined);
  const scene = at < 0 ? undefined : find(messages[at]!.text);
  const round = messages.slice(at + 1).filter(({ hasCalls }) => hasCalls).length;
  const offered = new Set(tools);
  const turn = (scene && turnOf(scene, round, offered)) ?? { say: ["There is no scene to play."] };
  const calls = scene ? callsOf(scene, turn, round, offered) : [];
  if (scene) scene.asked++;
  if (isStream) return await stream(format, scene, turn, calls, response);
  // Some frameworks do not stream their sub-agents.
  if (scene) scene.finished++;
  const text = (turn.say ?? []).filter((piece) => typeof piece === "string").join("");
  response.writeHead(200, { "content-type": "application/json" }).end(format.whole(text, calls));
};

const stream = async (
  format: ModelFormat,
  scene: Scene | undefined,
  { say = [], everyMs = TYPICAL_MS }: ModelTurn,
  calls: readonly ModelCall[],
  response: ServerResponse,
): Promise<void> => {
  let isOver = false;
  const closed = new Promise<void>((resolve) => response.on("close", resolve));
  response.on("close", () => {
    if (!isOver && scene) scene.aborted++;
  });
  response.writeHead(200, { "content-type": "text/event-stream" });
  const write = async (text: string): Promise<void> => {
    for (const part of everyMs > 0 ? framesOf(text) : [text]) {
      if (!response.write(part))
        await Promise.race([new Promise((resolve) => response.once("drain", resolve)), closed]);
      if (everyMs > 0) await Promise.race([sleep(everyMs), closed]);
    }
  };
  await write(format.begin(say.length > 0));
  let held = "";
  let pieces = 0;
  for (const piece of say) {
    if (response.destroyed) return;
    if (typeof piece === "string") {
      held += format.piece(piece);
      if (everyMs === 0 && ++pieces % PIECES_AT_ONCE !== 0) continue;
    }
    if (held) await write(held);
    held = "";
    if (typeof piece !== "string") await Promise.race([piece.opened, closed]);
  }
  if (response.destroyed) return;
  isOver = true;
  if (scene) scene.finished++;
  await write(held + format.end(calls, say.length > 0));
  response.end();
};

/** Frames end with an empty line, and the JSON inside has no line breaks. */
const framesOf = (text: string): readonly string[] => text.split(/(?<=\n\n)/);

const turnOf = (scene: Scene, round: number, offered: ReadonlySet<string>): ModelTurn | undefined => {
  const turn = scene.script.turns[round];
  const missing = (turn?.calls ?? []).filter(({ tool }) => !nameOf(tool, offered)).map(({ tool }): ToolName => tool);
  for (const tool of missing) scene.missing.add(tool);
  return missing.length > 0 ? { say: [`There is no tool named ${missing.join(", ")}.`] } : turn;
};

/** The names and arguments of the tools that give a task to a sub-agent. Some frameworks have their own. */
const DELEGATING: Readonly<Record<string, (task: string) => object>> = {
  delegate: (key) => ({ key }),
  delegate_task_to_member: (task) => ({ member_id: "helper", task }),
  task: (description) => ({ subagent_type: "helper", description }),
};

const nameOf = (tool: ToolName, offered: ReadonlySet<string>): string | undefined => {
  const names = tool === "delegate" ? Object.keys(DELEGATING) : [tool];
  return names.find((name) => offered.has(name));
};

const callsOf = (scene: Scene, { calls = [] }: ModelTurn, round: number, offered: ReadonlySet<string>): ModelCall[] =>
  calls.map(({ tool, key }, index) => {
    const name = nameOf(tool, offered)!;
    const inputOf = DELEGATING[name] ?? ((whole: string) => ({ key: whole }));
    const id = `call_${scene.name.slice("scene-".length)}_${round}_${index}`;
    return { id, name, input: inputOf(scene.key(key)) };
  });
