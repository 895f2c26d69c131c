import { fieldsOf, listOf } from "../../json.ts";
import type { Json, Message, Part } from "../../events.ts";
import { Refusal, type RunContext, type RunRequest } from "../../source.ts";
import { textOf } from "../upstream/reading.ts";
import { contentText, fieldNamed, unwrapped } from "./protocol.ts";

/** The input of a run: the new messages, preceded by messages that the thread is missing. `known` are the thread's messages. */
export const inputOf = async (
  { messages }: RunRequest,
  known: readonly unknown[],
  { get }: Pick<RunContext, "get">,
): Promise<Json> => {
  const last = messages.findLastIndex(({ role }) => role !== "user");
  const added = known.length > 0 ? messages.slice(last + 1) : messages;
  const written = await Promise.all(added.map((message) => messageOf(message, get)));
  const list = written.filter((one) => one !== undefined);
  if (list.length === 0) throw new Refusal("empty-message", "The message contains nothing that the agent can read.");
  return { messages: [...resultsFor(known), ...list] };
};

const messageOf = async ({ role, content }: Message, get: RunContext["get"]): Promise<Json | undefined> => {
  const blocks = (await Promise.all(content.map((part) => blockOf(part, get)))).filter((one) => one !== undefined);
  if (blocks.length === 0 || role === "tool") return undefined;
  const isText = blocks.every((block) => fieldsOf(block)["type"] === "text");
  return { role, content: isText ? contentText(blocks) : (blocks as Json[]) };
};

const blockOf = async (part: Part, get: RunContext["get"]): Promise<Json | undefined> => {
  if (part.type === "text") return part.text.trim() === "" ? undefined : { type: "text", text: part.text };
  if (part.type !== "file") return undefined;
  const { mediaType, name } = part;
  const type = /^(image|audio|video)\//.exec(mediaType)?.[1] ?? "file";
  const facts = { type, mime_type: mediaType, ...(name !== undefined && { filename: name }) };
  if (part.url !== undefined) return { ...facts, url: part.url };
  const kept = part.file === undefined ? undefined : await get(part.file);
  const base64 = part.data ?? (kept && Buffer.from(kept).toString("base64"));
  return base64 === undefined ? undefined : { ...facts, base64 };
};

/** Results for calls that an earlier run left without one, because providers reject a conversation that contains such calls. */
const resultsFor = (known: readonly unknown[]): Json[] => {
  const messages = known.map(unwrapped);
  const answered = new Set(messages.map((one) => fieldNamed(one, "tool_call_id")));
  return listOf(messages.findLast((one) => listOf(fieldNamed(one, "tool_calls")).length > 0)?.["tool_calls"]).flatMap(
    (call): Json[] => {
      const id = textOf(fieldsOf(call)["id"]);
      if (id === undefined || answered.has(id)) return [];
      return [{ role: "tool", tool_call_id: id, content: "The call was stopped before it had a result." }];
    },
  );
};
