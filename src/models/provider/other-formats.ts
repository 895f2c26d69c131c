import { type Fields, fieldsOf, listOf, parseJson } from "../../json.ts";
import { Refusal } from "../../source.ts";
import { type CreateFormat, textOf } from "./format.ts";

const ENDS: ReadonlySet<unknown> = new Set(["response.completed", "response.incomplete", "response.failed"]);
const WAITS: ReadonlySet<unknown> = new Set(["response.queued", "response.in_progress", "keepalive"]);

/** OpenAI's responses. Its library skips unknown events. */
export const responsesFormat =
  (model: string): CreateFormat =>
  (aside) => ({
    refusalOf: (status, body) => (isMissing(status, body) ? chatOnly(model) : undefined),
    read: (value) => {
      if (WAITS.has(value["type"])) aside.alive();
      return value["type"] === "keepalive" ? [] : [value];
    },
    isEnd: ({ type }) => ENDS.has(type),
  });

/** The path does not exist, as opposed to the model. */
const isMissing = (status: number, body: string): boolean =>
  status === 405 || status === 501 || (status === 404 && !/model/i.test(body));

const chatOnly = (model: string): Refusal =>
  new Refusal("model-unknown", "This server does not have OpenAI's responses API.", {
    status: 502,
    hint: `If it has chat completions, name the model openai-chat/${model}.`,
  });

/** Google's content, in chunks that all have the same shape. */
export const googleFormat: CreateFormat = () => ({
  read: (value) => [value],
  isEnd: ({ candidates }) => fieldsOf(listOf(candidates)[0])["finishReason"] != null,
});

const EVENTS: ReadonlySet<unknown> = new Set([
  ...["message_start", "message_delta", "message_stop", "ping", "error"],
  ...["content_block_start", "content_block_delta", "content_block_stop"],
]);

/**
 * Anthropic's messages. For a call to an MCP server that Anthropic runs, its library reads the arguments from the start
 * of the block, but they are streamed. Such a block is held until its arguments are complete.
 */
export const anthropicFormat: CreateFormat = (aside) => {
  const held = new Map<unknown, { readonly start: Fields; text: string }>();
  return {
    read(value) {
      const { type, index } = value;
      if (!EVENTS.has(type)) {
        aside.skipped();
        return [];
      }
      if (type === "ping") aside.alive();
      if (type === "content_block_start" && fieldsOf(value["content_block"])["type"] === "mcp_tool_use") {
        held.set(index, { start: value, text: "" });
        return [];
      }
      const block = held.get(index);
      if (!block) return [value];
      if (type === "content_block_delta") block.text += textOf(fieldsOf(value["delta"])["partial_json"]) ?? "";
      if (type !== "content_block_stop") return [];
      held.delete(index);
      const content = fieldsOf(block.start["content_block"]);
      const input = block.text === "" ? content["input"] : parseJson(block.text, block.text);
      return [{ ...block.start, content_block: { ...content, input } }, value];
    },
    isEnd: ({ type, delta }) => type === "message_stop" || fieldsOf(delta)["stop_reason"] != null,
  };
};
