/**
 * Breaks off an answer, or a message of an event stream, that is larger than `mostBytes`: who reads it holds it until it is
 * whole. `tooLarge` hears of it first.
 */
export const boundedBody = (response: Response, mostBytes: number, tooLarge: (error: RangeError) => void): Response => {
  const { body, status, statusText, headers } = response;
  if (!body) return response;
  const isStream = /^text\/event-stream\b/.test(headers.get("content-type") ?? "");
  return new Response(body.pipeThrough(bounded(isStream, mostBytes, tooLarge)), { status, statusText, headers });
};

const bounded = (
  isStream: boolean,
  mostBytes: number,
  tooLarge: (error: RangeError) => void,
): TransformStream<Uint8Array, Uint8Array> => {
  let held = 0;
  return new TransformStream({
    transform(bytes, controller) {
      const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      const end = isStream ? Math.max(...BLANK_LINES.map((line) => buffer.lastIndexOf(line))) : -1;
      held = end < 0 ? held + bytes.length : bytes.length - end;
      if (held <= mostBytes) return controller.enqueue(bytes);
      const error = new RangeError(`The server's answer is larger than ${mostBytes} bytes.`);
      tooLarge(error);
      throw error;
    },
  });
};

/** What ends a message of an event stream. */
const BLANK_LINES = ["\n\n", "\r\n\r\n", "\r\r"];
