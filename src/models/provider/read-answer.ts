import type { Frame } from "../../dialect.ts";
import { type Fields, fieldsOf, parseJson } from "../../json.ts";
import { Refusal } from "../../source.ts";
import { createFrameReader, frameText } from "../../sse.ts";
import { type Aside, type Format } from "./format.ts";

/** The most to read of a response that should have been a stream. */
const MOST = 4 * 1024 * 1024;

/**
 * Converts a response into what the library should read: a stream in which every frame follows the format, or an error
 * with its reason.
 */
export const readAnswer = async (
  response: Response,
  format: Format,
  aside: Aside,
  signal: AbortSignal | undefined,
): Promise<Response> => {
  const { status, headers } = response;
  if (!response.body) return response;
  if (!response.ok) {
    const text = await firstOf(response.body);
    aside.refusal = format.refusalOf?.(status, text);
    return new Response(text, { status, statusText: response.statusText, headers });
  }
  const type = headers.get("content-type") ?? "";
  const stream = (body: ReadableStream<Uint8Array>) =>
    new Response(framesOf(body, format, aside, signal), { status, headers });
  if (!/\bjson\b|\bhtml\b/i.test(type)) return stream(response.body);
  const text = await firstOf(response.body);
  // Some servers stream with the wrong content type.
  if (/^\s*(data|event|id|:)/.test(text)) return stream(bytesOf(text));
  if (/^\s*</.test(text)) throw (aside.refusal = webPage(text));
  const whole = fieldsOf(parseJson(text));
  const chunk = format.chunkOf?.(whole);
  if (chunk) return stream(bytesOf(frameText({ data: JSON.stringify(chunk) }) + frameText({ data: "[DONE]" })));
  aside.refusal = format.refusalOf?.(status, text) ?? (isError(whole) ? undefined : notStreamed());
  return new Response(text, { status: statusIn(whole), headers: { "content-type": "application/json" } });
};

const isError = (whole: Fields): boolean =>
  Object.keys(whole).length === 0 || ["error", "detail", "message"].some((name) => whole[name] != null);

const notStreamed = (): Refusal =>
  new Refusal("model-invalid", "The server sent its answer in one piece instead of a stream.", {
    status: 502,
    hint: "Turn on streaming on the server, or on the proxy in front of it.",
  });

/** Some servers report errors with status 200. */
const statusIn = (whole: Fields): number => {
  const error = fieldsOf(whole["error"]);
  const status = [error["code"], error["status"], whole["status"], whole["code"]].map(Number);
  return status.find((one) => one >= 400 && one < 600) ?? 400;
};

const webPage = (page: string): Refusal => {
  const title = /<title[^>]*>([^<]*)<\/title>/i.exec(page.slice(0, 20_000))?.[1]?.trim();
  return new Refusal("model-invalid", `The model's URL returned a web page${title ? `: ${title}` : ""}.`, {
    status: 502,
    hint: "Check the base URL: it must be the API's, and often ends in /v1.",
  });
};

const brokenOff = (): Refusal =>
  new Refusal("model-unreachable", "The connection to the provider broke in the middle of the answer.", {
    status: 502,
    retryable: true,
    hint: "Try again. If it keeps happening, look for a proxy that closes long connections.",
  });

/** Re-emits the stream with each frame normalized by the format. A connection error after the end of the response is ignored. */
const framesOf = (
  body: ReadableStream<Uint8Array>,
  format: Format,
  aside: Aside,
  signal: AbortSignal | undefined,
): ReadableStream<Uint8Array> => {
  const reader = body.getReader();
  const encoder = new TextEncoder();
  let ready = "";
  let isEnded = false;

  const send = (event: string | undefined, data: string): void => {
    ready += frameText({ ...(event !== undefined && { event }), data });
  };
  const take = ({ event, data }: Frame): void => {
    const isDone = data.trim() === "[DONE]";
    isEnded ||= isDone;
    if (isDone) return send(event, data);
    const value = parseJson(data);
    if (typeof value !== "object" || value === null) return aside.skipped();
    const read = format.read(value as Fields);
    if (read.length === 0) aside.alive();
    for (const one of read) {
      isEnded ||= format.isEnd(one);
      send(event, one === value ? data : JSON.stringify(one));
    }
  };
  const frames = createFrameReader(take, { onComment: () => aside.alive() });

  const read = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    while (ready === "") {
      const { done, value } = await reader.read();
      if (done) return controller.close();
      frames.push(value);
    }
    controller.enqueue(encoder.encode(ready));
    ready = "";
  };

  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        await read(controller);
      } catch (error) {
        if (isEnded && !signal?.aborted) return controller.close();
        if (!signal?.aborted) aside.refusal = brokenOff();
        controller.error(aside.refusal ?? error);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
};

const firstOf = async (body: ReadableStream<Uint8Array>): Promise<string> => {
  const decoder = new TextDecoder();
  let text = "";
  for await (const bytes of body) {
    text += decoder.decode(bytes, { stream: true });
    if (text.length > MOST) break;
  }
  return text;
};

const bytesOf = (text: string): ReadableStream<Uint8Array> => new Blob([text]).stream();
