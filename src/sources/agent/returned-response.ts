import { resultOfAnswer } from "../../http-answer.ts";
import type { ToolContext, ToolResult } from "../../tool.ts";

const MAX_BYTES = 10 * 1024 * 1024;

/** Converts a web `Response` that a tool returns into its result. A page with `Content-Disposition: inline` is shown to the user. */
export const readResponse = async (response: Response, context: ToolContext): Promise<ToolResult> => {
  const pieces: Uint8Array[] = [];
  let length = 0;
  // An endless body must stop when the call does.
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
