import type { Frame } from "../../dialect.ts";
import { type Fields, fieldsOf, parseJson } from "../../json.ts";
import { createFrameReader, frameText } from "../../sse.ts";
import { brokenOff, failureIn, reported } from "./failure.ts";
import { type Aside, type Format } from "./format.ts";

/** The most to read of a response that should have been a stream. */
const MOST = 4 * 1024 * 1024;
/** The most to read of a stream until its first frame. More than the largest frame, which may contain a picture. */
const MOST_BEFORE_FRAME = 20 * 1024 * 1024;

/** Servers and gateways send these in the streams of any provider. */
const KEEP_ALIVE = /^(ping|keep.?alive|heartbeat)$/i;

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
  const { status, headers, body } = response;
  if (!body) return response;
  if (response.ok) return new Response(framesOf(body, headers, format, aside, signal), { status, headers });
  const text = await firstOf(body);
  aside.failure = format.refusalOf?.(status, text);
  return new Response(text, { status, statusText: response.statusText, headers });
};

/**
 * Re-emits the stream with each frame normalized by the format. A body that is not a stream is read whole, whatever
 * its content type says: it is the answer, or the reason for a failure. A connection error after the end of the response
 * is ignored.
 */
const framesOf = (
  body: ReadableStream<Uint8Array>,
  headers: Headers,
  format: Format,
  aside: Aside,
  signal: AbortSignal | undefined,
): ReadableStream<Uint8Array> => {
  const reader = body.getReader();
  const encoder = new TextEncoder();
  const decoder = new TextDecoder();
  let ready = "";
  let isEnded = false;
  let isStream = false;
  /** The body, until something in it shows that it is a stream. */
  let beginning = "";
  /** Whether it begins like JSON or a web page. Undefined until it begins. */
  let isDocument: boolean | undefined;

  const send = (event: string | undefined, data: string): void => {
    ready += frameText({ ...(event !== undefined && { event }), data });
  };
  const take = ({ event, data }: Frame): void => {
    isStream = true;
    const isDone = data.trim() === "[DONE]";
    isEnded ||= isDone;
    if (isDone) return send(event, data);
    const value = parseJson(data);
    if (typeof value !== "object" || value === null) {
      // If the stream ends here, this may be the reason.
      if (value === undefined && !/^\s*[{[]/.test(data)) aside.failure = reported(data, 502);
      return aside.skipped();
    }
    if (KEEP_ALIVE.test(`${(value as Fields)["type"]}`)) return aside.alive();
    for (const one of format.read(value as Fields, data)) {
      isEnded ||= format.isEnd(one);
      send(event, one === value ? data : JSON.stringify(one));
    }
  };
  const frames = createFrameReader(take, {
    onComment: () => {
      isStream = true;
      aside.alive();
    },
  });
  const takeWhole = (text: string): void => {
    const chunk = format.chunkOf?.(fieldsOf(parseJson(text)));
    if (!chunk) throw (aside.failure = failureIn(text, format, headers));
    take({ data: JSON.stringify(chunk) });
    take({ data: "[DONE]" });
  };

  const takeBeginning = (bytes: Uint8Array): void => {
    beginning += decoder.decode(bytes, { stream: true });
    // Decided once, because each look at a text that grows copies it.
    if (isDocument === undefined && /\S/.test(beginning)) isDocument = /^\s*[{[<]/.test(beginning);
    if (!isDocument) frames.push(bytes);
    if (isStream) beginning = "";
    else if (beginning.length > (isDocument ? MOST : MOST_BEFORE_FRAME)) takeWhole(beginning.slice(0, MOST));
  };

  const read = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    while (ready === "") {
      const { done, value } = await reader.read();
      if (done && (isStream || beginning.trim() === "")) return controller.close();
      aside.received();
      if (done) takeWhole(beginning.trim());
      else if (isStream) frames.push(value);
      else takeBeginning(value);
    }
    controller.enqueue(encoder.encode(ready));
    ready = "";
  };

  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        await read(controller);
      } catch (error) {
        void reader.cancel(error).catch(() => {});
        if (isEnded && !signal?.aborted) return controller.close();
        if (!signal?.aborted && error !== aside.failure) aside.failure = brokenOff();
        controller.error(aside.failure ?? error);
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
