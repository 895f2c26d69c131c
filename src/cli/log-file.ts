import { type Entry, EVENT_TYPES, entrySchema } from "../events.ts";
import { protocolProblem } from "../protocol.ts";
import { didYouMean } from "../did-you-mean.ts";
import { messageOf } from "../message-of.ts";

/** The content of one line of a file, or of a frame that starts there. */
export type Found = { readonly line: number } & ({ readonly entry: Entry } | { readonly problem: string });

/**
 * Reads a log: one entry per line, or a stream as a server sent it (`curl -N … > file`, with or without the response
 * headers). Stops at the first item that is not an entry.
 */
export function* readLogFile(text: string): Generator<Found> {
  const lines = text.replace(/^\ufeff/, "").split(/\r\n|\n|\r/);
  const first = lines.find((line) => line.trim() !== "")?.trimStart() ?? "";
  const isStream = /^(id|event|data|retry)?:|^HTTP\//.test(first);
  for (const { line, json, seq } of isStream ? framesOf(lines) : rowsOf(lines)) {
    const found = { line, ...entryOf(json, seq) };
    yield found;
    if ("problem" in found) return;
  }
}

interface Row {
  readonly line: number;
  readonly json: string;
  /** From the frame's id. A log line contains its own. */
  readonly seq?: string;
}

function* rowsOf(lines: readonly string[]): Generator<Row> {
  for (const [index, json] of lines.entries()) if (json.trim() !== "") yield { line: index + 1, json };
}

/** Frames without an id, such as heartbeats and refusals, are not entries. */
function* framesOf(lines: readonly string[]): Generator<Row> {
  let index = lines[0]?.startsWith("HTTP/") ? lines.indexOf("") + 1 : 0;
  for (let frame: Record<string, string> = {}, start = index; index < lines.length; index++) {
    const line = lines[index]!;
    if (line !== "") {
      const [, name = "", value = ""] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
      frame[name] = name === "data" && frame["data"] !== undefined ? `${frame["data"]}\n${value}` : value;
      continue;
    }
    if (frame["data"] !== undefined && frame["id"] !== undefined)
      yield { line: start + 1, json: frame["data"], seq: frame["id"] };
    frame = {};
    start = index + 1;
  }
}

const entryOf = (json: string, seq: string | undefined): { entry: Entry } | { problem: string } => {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    return { problem: `this is not JSON: ${messageOf(error)}` };
  }
  if (seq !== undefined) value = fromFrame(value, seq);
  const event = isObject(value) && isObject(value["event"]) ? value["event"] : undefined;
  const type = event?.["type"];
  const tooNew = type === "run-start" ? protocolProblem(Number(event?.["protocol"])) : undefined;
  if (tooNew) return { problem: `${tooNew.message}; ${tooNew.hint}` };
  const types: readonly string[] = EVENT_TYPES;
  if (typeof type === "string" && !types.includes(type))
    return { problem: `${at(value)}there is no event type ${JSON.stringify(type)}${didYouMean(type, types)}` };
  const parsed = entrySchema.safeParse(value);
  if (parsed.success) return { entry: value as Entry };
  const issue = parsed.error.issues[0]!;
  const field = issue.path.filter((key, index) => index > 0 || key !== "event").join(".");
  const where = [typeof type === "string" ? type : "", field].filter(Boolean).join(" ");
  const wrong = issue.message.replace(/^Invalid input: /, "");
  return { problem: `${at(value)}${where ? `${where}: ` : "this is not an entry: "}${wrong}` };
};

const fromFrame = (value: unknown, seq: string): unknown => {
  if (!isObject(value)) return value;
  const { at: time, ...event } = value;
  return { seq: Number(seq), at: time, event };
};

const at = (value: unknown): string =>
  isObject(value) && typeof value["seq"] === "number" ? `seq ${value["seq"]}: ` : "";

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
