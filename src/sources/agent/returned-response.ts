import { resultOfAnswer } from "../../http-answer.ts";
import type { ToolContext, ToolResult } from "../../tool.ts";

const MAX_BYTES = 10 * 1024 * 1024;

/** A web `Response` that a tool returns, as its result: a page with `Content-Disposition: inline` is shown to the person. */
export const readResponse = async (response: Response, context: ToolContext): Promise<ToolResult> => {
  const pieces: Uint8Array[] = [];
  let length = 0;
  // A body that never ends must end with the call.
  for await (const piece of response.body?.pipeThrough(new TransformStream(), { signal: context.signal }) ?? []) {
    pieces.push(piece);
    length += piece.length;
    if (length > MAX_BYTES) break;
  }
  const { url, status, statusText, headers } = response;
  return await resultOfAnswer(
    {
      url,
      status,
      statusText,
      header: (name) => headers.get(name) ?? "",
      bytes: Buffer.concat(pieces).subarray(0, MAX_BYTES),
      cut: length > MAX_BYTES,
    },
    context,
  );
};
