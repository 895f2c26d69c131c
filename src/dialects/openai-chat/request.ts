import type { Command, Dialect, DialectRequest } from "../../dialect.ts";
import { readStyle, writeStyle } from "./style.ts";
import { readChat, writeChat } from "../openai/chat-request.ts";

type Start = Extract<Command, { do: "start" }>;

export const readStart = ({ body, headers }: DialectRequest): Command => {
  const { request, asked } = readChat(body);
  const style = writeStyle({
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
  const body = {
    ...writeChat(request),
    ...(!whole && { stream: true }),
    // Who has not said how it is to be answered wants to know what is used, which is said only if it is asked for.
    ...(!whole && (readStyle(style).usage ?? style === undefined) && { stream_options: { include_usage: true } }),
  };
  const headers = {
    "content-type": "application/json",
    accept: whole ? "application/json" : "text/event-stream",
    ...(extensions && { "runcast-extensions": "1" }),
  };
  return { method: "POST", path: "/v1/chat/completions", headers, body: JSON.stringify(body) };
};
