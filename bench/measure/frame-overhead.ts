import { MARK } from "../workload.ts";

/** The length of a stream's token frames relative to a bare `data:` line with the same JSON, measured on the first bytes. */
export const frameOverhead = (sample: string): { overhead?: number } => {
  const body = sample.slice(sample.indexOf("\r\n\r\n") + 4);
  const frames = dechunk(body).split("\n\n").slice(0, -1);
  const tokens = frames.filter((frame) => frame.includes(MARK) && frame.includes('"delta"'));
  if (tokens.length === 0) return {};
  let whole = 0;
  let bare = 0;
  for (const frame of tokens) {
    const data = frame.split("\n").find((line) => line.startsWith("data:"));
    if (data === undefined) return {};
    whole += frame.length + 2;
    bare += `data: ${data.slice(5).trimStart()}\n\n`.length;
  }
  return { overhead: whole / bare };
};

const dechunk = (body: string): string => {
  let text = "";
  let at = 0;
  while (true) {
    const lineEnd = body.indexOf("\r\n", at);
    const size = lineEnd === -1 ? NaN : Number.parseInt(body.slice(at, lineEnd), 16);
    if (!size || lineEnd + 2 + size > body.length) return text;
    text += body.slice(lineEnd + 2, lineEnd + 2 + size);
    at = lineEnd + 4 + size;
  }
};
