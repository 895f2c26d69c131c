import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { type Fields, fieldsOf, listOf } from "../../json.ts";
import { hasReason, reported } from "./failure.ts";
import { type Aside, type CreateFormat, type Format, textOf } from "./format.ts";
import { compacted, objectSources } from "./json-source.ts";

/** Keep-alive messages that servers send occasionally. */
const PING = /ping|keep.?alive|heartbeat/i;

/**
 * Chat completions, including servers' extensions of OpenAI's format. Emits sources and images separately from the
 * text, moves text and reasoning from other fields to where the library reads them, and normalizes legacy calls and
 * calls without a name.
 */
export const chatFormat: CreateFormat = (aside) => createChatFormat(aside);

/** The same, for a library that reports annotations and skips reasoning. */
export const openaiChatFormat: CreateFormat = (aside) => createChatFormat(aside, createThoughts(aside));

const createChatFormat = (aside: Aside, think?: ReturnType<typeof createThoughts>): Format => {
  const cite = createSources(aside);
  /** Whether the call at each index has a name yet. */
  const named = new Map<number, boolean>();

  const callsIn = (delta: Fields): readonly Fields[] => {
    const legacy = fieldsOf(delta["function_call"]);
    const isLegacy = textOf(legacy["name"]) !== undefined || textOf(legacy["arguments"]) !== undefined;
    return isLegacy ? [{ index: 0, function: legacy }] : listOf(delta["tool_calls"]).map(fieldsOf);
  };

  const readCalls = (delta: Fields, isLast: boolean, data: string): readonly Fields[] => {
    // Some servers send arguments as objects. Their text is exact.
    let sources: string[] | undefined;
    const textOfObject = (): string | undefined =>
      (sources ??= objectSources(data, "function", "arguments").map(compacted)).shift();
    const calls = callsIn(delta).map((call, position) => {
      const about = fieldsOf(call["function"]);
      const index = typeof call["index"] === "number" ? call["index"] : position;
      const name = textOf(about["name"]);
      named.set(index, named.get(index) === true || name !== undefined);
      const given = about["arguments"];
      const text = typeof given === "object" && given !== null ? (textOfObject() ?? JSON.stringify(given)) : given;
      return { ...call, index, function: { ...about, name: name ?? null, arguments: text ?? null } };
    });
    if (!isLast) return calls;
    const nameless = [...named].flatMap(([index, isNamed]) => (isNamed ? [] : [index]));
    for (const index of nameless) named.set(index, true);
    return [...calls, ...nameless.map((index) => ({ index, function: { name: "unknown", arguments: "" } }))];
  };

  const readDelta = (delta: Fields, isLast: boolean, data: string): Fields => {
    const { function_call: _, tool_calls: __, role, audio, ...rest } = delta;
    const calls = readCalls(delta, isLast, data);
    const transcript = textOf(fieldsOf(audio)["transcript"]);
    const thought = thoughtIn(rest);
    for (const annotation of think ? [] : listOf(rest["annotations"]))
      cite(fieldsOf(fieldsOf(annotation)["url_citation"] ?? annotation));
    for (const image of listOf(rest["images"])) showImage(aside, image);
    return {
      ...rest,
      ...(role === "assistant" && { role }),
      ...(transcript !== undefined && { content: `${textOf(rest["content"]) ?? ""}${transcript}` }),
      ...(thought !== undefined && { reasoning_content: thought, reasoning: undefined }),
      ...(calls.length > 0 && { tool_calls: calls }),
    };
  };

  return {
    read(given, data) {
      const value = withoutNoError(given);
      for (const source of listOf(value["search_results"])) cite(fieldsOf(source));
      for (const source of listOf(value["citations"]))
        cite(typeof source === "string" ? { url: source } : fieldsOf(source));
      const { choices } = value;
      const choice = fieldsOf(listOf(choices)[0]);
      const delta = fieldsOf(choice["delta"]);
      const error = errorIn(value, choice);
      if (error) {
        aside.failure = reported(JSON.stringify(error));
        const { error: _, ...rest } = value;
        const { content } = delta;
        const last = { ...rest, choices: [{ index: 0, delta: { content }, finish_reason: null }] };
        return [...(textOf(content) === undefined ? [] : [last]), FAILED];
      }
      if (!Array.isArray(choices)) {
        if (value["usage"]) return [{ ...value, choices: [] }];
        if (isPing(value)) aside.alive();
        if (isPing(value) || value["citations"] || value["search_results"]) return [];
        // If the stream ends here, this may be the reason.
        if (hasReason(value)) aside.failure = reported(JSON.stringify(value), 502);
        aside.skipped();
        return [];
      }
      const isLast = choice["finish_reason"] != null;
      if (choices.length > 0 && !isLast && isSilent(delta)) aside.alive();
      think?.(delta, isLast);
      if (!isLast && isPlain(delta)) return [value];
      return [{ ...value, choices: [{ ...choice, delta: readDelta(delta, isLast, data) }] }].map((one) =>
        choices[0] ? one : value,
      );
    },
    isEnd: ({ choices }) => fieldsOf(listOf(choices)[0])["finish_reason"] != null,
    chunkOf(whole) {
      const choice = fieldsOf(listOf(whole["choices"])[0]);
      const message = fieldsOf(choice["message"]);
      if (!choice["message"]) return undefined;
      const calls = listOf(message["tool_calls"]).map((call, index) => ({ index, ...fieldsOf(call) }));
      const delta = { ...message, ...(calls.length > 0 && { tool_calls: calls }) };
      return { ...whole, choices: [{ index: 0, delta, finish_reason: choice["finish_reason"] ?? "stop" }] };
    },
  };
};

/** Fields of a delta that the library reads unchanged. */
const PLAIN: ReadonlySet<string> = new Set(["content", "reasoning_content", "reasoning", "refusal"]);

const isPlain = (delta: Fields): boolean => {
  for (const key in delta)
    if (!PLAIN.has(key) || (key !== "content" && typeof delta[key] !== "string" && delta[key] != null)) return false;
  return true;
};

const isSilent = ({ role: _, ...delta }: Fields): boolean =>
  Object.values(delta).every((value) => value == null || value === "");

/** Makes the library report an error at this point in the stream. The failure of the response then replaces it. */
const FAILED: Fields = { error: { message: "The provider reported an error." } };

/** An error in a stream, wherever servers put it. */
const errorIn = (value: Fields, choice: Fields): Fields | undefined => {
  const { error, object, type, choices } = value;
  if (hasReason({ error })) return value;
  if (choices === undefined && (object === "error" || type === "error")) return value;
  if (hasReason({ error: choice["error"] })) return { error: choice["error"] };
  return choice["finish_reason"] === "error" ? {} : undefined;
};

/** Some servers say in every chunk that there is no error. Libraries only look whether the field is there. */
const withoutNoError = (value: Fields): Fields => {
  if (!("error" in value) || value["error"]) return value;
  const { error: _, ...rest } = value;
  return rest;
};

const isPing = (value: Fields): boolean =>
  Object.keys(value).length === 0 || PING.test(`${textOf(value["type"])} ${textOf(value["object"])}`);

/** Reasoning in OpenRouter's additional format: texts and summaries. */
const detailsText = (details: unknown): string | undefined =>
  textOf(
    listOf(details)
      .map(fieldsOf)
      .map(({ text, summary }) => textOf(text) ?? textOf(summary) ?? "")
      .join(""),
  );

const thoughtIn = (delta: Fields): string | undefined =>
  textOf(delta["reasoning_content"]) ?? textOf(delta["reasoning"]) ?? detailsText(delta["reasoning_details"]);

/** Emits reasoning for a library that skips it. It ends where something else begins. */
const createThoughts = (aside: Aside) => {
  let count = 0;
  let id: string | undefined;
  return (delta: Fields, isLast: boolean): void => {
    const thought = thoughtIn(delta);
    if (thought !== undefined) {
      if (id === undefined) aside.part({ type: "reasoning-start", id: (id = `reasoning-${count++}`) });
      aside.part({ type: "reasoning-delta", id, delta: thought });
    }
    const { reasoning: _, reasoning_content: __, reasoning_details: ___, ...others } = delta;
    if (id === undefined || (!isLast && isSilent(others))) return;
    aside.part({ type: "reasoning-end", id });
    id = undefined;
  };
};

/** Emits each source once, even if a server repeats the list. */
const createSources = (aside: Aside) => {
  const known = new Set<string>();
  return ({ url, title }: Fields): void => {
    const address = textOf(url);
    if (address === undefined || known.has(address) || known.size >= 1000) return;
    known.add(address);
    const name = textOf(title);
    aside.part({
      type: "source",
      sourceType: "url",
      id: address,
      url: address,
      ...(name !== undefined && { title: name }),
    });
  };
};

const DATA_URL = /^data:([^;,]+);base64,/;

const showImage = (aside: Aside, image: unknown): void => {
  const { image_url: place, url: plain } = fieldsOf(image);
  const url = textOf(image) ?? textOf(plain) ?? textOf(place) ?? textOf(fieldsOf(place)["url"]);
  if (url === undefined) return;
  const [opening, mediaType = "image/*"] = DATA_URL.exec(url) ?? [];
  type File = Extract<LanguageModelV4StreamPart, { type: "file" }>;
  const data = (part: File["data"]) => aside.part({ type: "file", mediaType, data: part });
  if (opening !== undefined) data({ type: "data", data: url.slice(opening.length) });
  else if (URL.canParse(url)) data({ type: "url", url: new URL(url) });
};
