import { type Fields, fieldsOf, listOf, parseJson } from "../../json.ts";
import { Refusal } from "../../source.ts";
import { type CreateFormat, textOf } from "./format.ts";
import { compacted, objectSources } from "./json-source.ts";

const ENDS: ReadonlySet<unknown> = new Set(["response.completed", "response.incomplete", "response.failed"]);
const WAITS: ReadonlySet<unknown> = new Set(["response.queued", "response.in_progress"]);

/** An error in a stream, in the form that gateways send for every provider: that of chat completions. */
const errorIn = ({ type: event, error }: Fields) => {
  const { message, code, type } = fieldsOf(error);
  const text = textOf(message) ?? textOf(error);
  if (event !== undefined || text === undefined) return undefined;
  const status = Number(code);
  return { message: text, type: textOf(type) ?? textOf(code) ?? "error", ...(status >= 400 && { status }) };
};

/** OpenAI's responses. Its library skips unknown events, but not values that are not events. */
export const responsesFormat =
  (model: string): CreateFormat =>
  (aside) => ({
    refusalOf: (status, body) => (isMissing(status, body) ? chatOnly(model) : undefined),
    read: (value) => {
      const error = errorIn(value);
      if (error) {
        const { message, type, status = type } = error;
        return [{ type: "error", sequence_number: 0, message, code: `${status}` }];
      }
      if (WAITS.has(value["type"])) aside.alive();
      if (textOf(value["type"]) !== undefined) return [value];
      aside.skipped();
      return [];
    },
    isEnd: ({ type }) => ENDS.has(type),
  });

/** The path does not exist, as opposed to the model. LM Studio reports that with the status 200. */
const isMissing = (status: number, body: string): boolean =>
  status === 405 ||
  status === 501 ||
  (status === 404 && !/model/i.test(body)) ||
  /^\s*\{\s*"error":\s*"Unexpected endpoint or method/.test(body);

const chatOnly = (model: string): Refusal =>
  new Refusal("model-unknown", "This server does not support OpenAI's responses API.", {
    status: 502,
    hint: `If it supports chat completions, use the model name openai-chat/${model}.`,
  });

/** Google's content, in chunks that all have the same shape. */
export const googleFormat: CreateFormat = () => ({
  read: (value, data) => {
    const error = errorIn(value);
    if (!error && data.includes('"functionCall"')) return [withExactArguments(value, data)];
    if (!error || textOf(fieldsOf(value["error"])["status"])) return [value];
    const { message, type, status = null } = error;
    return [{ error: { code: status, message, status: type } }];
  },
  isEnd: ({ candidates }) => fieldsOf(listOf(candidates)[0])["finishReason"] != null,
});

/**
 * Arguments that a parser would change (large integers, repeated keys) become their own text, which the library passes
 * on as it is.
 */
const withExactArguments = (value: Fields, data: string): Fields => {
  const sources = objectSources(data, "functionCall", "args").map(compacted);
  const [first, ...others] = listOf(value["candidates"]);
  const content = fieldsOf(fieldsOf(first)["content"]);
  let isChanged = false;
  const parts = listOf(content["parts"]).map((part) => {
    const call = fieldsOf(fieldsOf(part)["functionCall"]);
    if (typeof call["args"] !== "object" || call["args"] === null) return part;
    const source = sources.shift();
    if (source === undefined || source === JSON.stringify(call["args"])) return part;
    isChanged = true;
    return { ...fieldsOf(part), functionCall: { ...call, args: source } };
  });
  return isChanged
    ? { ...value, candidates: [{ ...fieldsOf(first), content: { ...content, parts } }, ...others] }
    : value;
};

const EVENTS: ReadonlySet<unknown> = new Set([
  ...["message_start", "message_delta", "message_stop", "error"],
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
      const error = errorIn(value);
      if (error) return [{ type: "error", error: { ...error, statusCode: error.status } }];
      if (!EVENTS.has(type)) {
        aside.skipped();
        return [];
      }
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
