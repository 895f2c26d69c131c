import { setImmediate } from "node:timers/promises";

/**
 * Aborts a response, or a message of an event stream, that is larger than `maxBytes`, because the reader buffers it
 * until it is complete. Calls `tooLarge` first.
 */
export const boundedBody = (response: Response, maxBytes: number, tooLarge: (error: RangeError) => void): Response => {
  const { body, status, statusText, headers } = response;
  if (!body) return response;
  const isStream = /^text\/event-stream\b/.test(headers.get("content-type") ?? "");
  return new Response(body.pipeThrough(bounded(isStream, maxBytes, tooLarge)), { status, statusText, headers });
};

const bounded = (
  isStream: boolean,
  maxBytes: number,
  tooLarge: (error: RangeError) => void,
): TransformStream<Uint8Array, Uint8Array> => {
  let held = 0;
  return new TransformStream({
    async transform(bytes, controller) {
      const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      const end = isStream ? Math.max(...BLANK_LINES.map((line) => buffer.lastIndexOf(line))) : -1;
      held = end < 0 ? held + bytes.length : bytes.length - end;
      if (held <= maxBytes) return await inTurns(buffer, isStream, controller);
      const error = new RangeError(`The server's response is larger than ${maxBytes} bytes.`);
      tooLarge(error);
      throw error;
    },
  });
};

/** Messages are parsed and answered as they pass. Yield to the event loop between a few of them. */
const inTurns = async (
  bytes: Buffer,
  isStream: boolean,
  controller: TransformStreamDefaultController<Uint8Array>,
): Promise<void> => {
  for (let at = 0; at < bytes.length;) {
    const most = bytes.subarray(at, at + TURN_BYTES);
    const turn = isStream ? fewMessages(most) : most;
    controller.enqueue(turn);
    at += turn.length;
    await setImmediate();
  }
};
const TURN_BYTES = 16 * 1024;
/** Refusing a question takes a separate request: about a millisecond. */
const TURN_MESSAGES = 4;

const fewMessages = (bytes: Buffer): Buffer => {
  let end = 0;
  for (let count = 0; count < TURN_MESSAGES; count += 1) {
    const [next] = BLANK_LINES.map((line) => bytes.indexOf(line, end))
      .filter((at) => at >= 0)
      .toSorted((a, b) => a - b);
    if (next === undefined) return bytes;
    end = next + 1;
  }
  return bytes.subarray(0, end);
};

/** The ends of a message in an event stream. */
const BLANK_LINES = ["\n\n", "\r\n\r\n", "\r\r"];
