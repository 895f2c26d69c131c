import type { Command, Dialect, DialectRequest } from "../../dialect.ts";
import { Refusal } from "../../source.ts";
import { CALL_STYLES, type CallStyle, isCallStyle } from "./call-texts.ts";
import { readStyle, writeStyle } from "./style.ts";
import { readChat, writeChat } from "../openai/chat-request.ts";

type Start = Extract<Command, { do: "start" }>;

/** Splits a model name such as `agent:details`. */
export const splitModel = (model: string): { readonly agent: string; readonly calls?: CallStyle } => {
  const at = model.lastIndexOf(":");
  const suffix = model.slice(at + 1);
  return at > 0 && isCallStyle(suffix) ? { agent: model.slice(0, at), calls: suffix } : { agent: model };
};

/** How to show the agent's calls, from the model's name, a header or the query. */
const callsOf = (named: CallStyle | undefined, { headers, query }: DialectRequest): CallStyle | undefined => {
  const asked = named ?? headers.get("runcast-style")?.trim() ?? query.get("style") ?? "";
  if (asked === "" || isCallStyle(asked)) return asked || undefined;
  throw new Refusal("unknown-style", `there is no style ${asked.slice(0, 40)}`, {
    hint: `use one of ${CALL_STYLES.join(", ")}`,
  });
};

export const readStart = (asking: DialectRequest): Command => {
  const { body, headers } = asking;
  const { request: named, asked } = readChat(body);
  const { agent, calls: suffix } = named.agent === undefined ? {} : splitModel(named.agent);
  const request = { ...named, ...(agent !== undefined && { agent }) };
  const calls = callsOf(suffix, asking);
  const style = writeStyle({
    ...(calls && { calls }),
    ...(asked.model !== undefined && { model: asked.model }),
    ...(asked.stream && asked.stream_options?.include_usage && { usage: true }),
    ...(request.tools && { tools: true }),
  });
  return {
    do: "start",
    request,
    style,
    ...(headers.get("runcast-extensions") === "1" && { extensions: true }),
    ...(!asked.stream && { whole: "end" }),
  };
};

export const writeStart = ({ request, style, extensions, whole }: Start): ReturnType<Dialect["write"]> => {
  const { calls } = readStyle(style);
  const body = {
    ...writeChat(request),
    ...(!whole && { stream: true }),
    // A caller that sets no style wants usage, which servers report only on request.
    ...(!whole && (readStyle(style).usage ?? style === undefined) && { stream_options: { include_usage: true } }),
  };
  const headers = {
    "content-type": "application/json",
    accept: whole ? "application/json" : "text/event-stream",
    ...(extensions && { "runcast-extensions": "1" }),
    ...(calls && { "runcast-style": calls }),
  };
  return { method: "POST", path: "/v1/chat/completions", headers, body: JSON.stringify(body) };
};
