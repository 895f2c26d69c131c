import type { IncomingMessage } from "node:http";
import { Refusal } from "../source.ts";
import type { BodyBudget } from "./body-budget.ts";
import { HttpRefusal } from "./refusals.ts";
import { messageOf } from "../message-of.ts";

/** The request's JSON body. Undefined if it has none. */
export type ReadBody = (request: IncomingMessage) => Promise<unknown>;

/** Reads at most `maxBytes` of a body, plus up to `filesBytes` for the files in it. Unfinished bodies count against the budget. */
export const createReadBody =
  (maxBytes: number, filesBytes: number, budget: BodyBudget): ReadBody =>
  async (request) => {
    const length = Number(request.headers["content-length"] ?? Number.NaN);
    if (length === 0 || (Number.isNaN(length) && request.headers["transfer-encoding"] === undefined)) return undefined;
    const type = (request.headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
    if (type !== "application/json" && !/^application\/[\w.-]+\+json$/.test(type))
      throw new HttpRefusal(
        415,
        "content-type",
        type ? `a body of type ${type.slice(0, 80)} is not accepted` : "the body has no content type",
        "send JSON with the header Content-Type: application/json",
      );
    if ((request.headers["content-encoding"] ?? "identity") !== "identity")
      throw new HttpRefusal(
        415,
        "content-encoding",
        "compressed bodies are not accepted",
        "send the body uncompressed",
      );
    // Files are base64 in JSON.
    const most = maxBytes + Math.ceil((filesBytes * 4) / 3);
    const refuse = () => tooLarge(maxBytes);
    if (length > most) throw refuse();
    const body = request.readableEnded
      ? parsedBefore(request, length > maxBytes ? (bytes) => checked(bytes, maxBytes) : undefined)
      : parse(checked(await readBytes(request, most, budget, refuse), maxBytes).toString("utf8"));
    if (isDeeper(body, MAX_LEVELS))
      throw new Refusal("too-deep", `the body has more than ${MAX_LEVELS} levels`, {
        hint: "send a flatter structure",
      });
    return body;
  };

/** Code that walks a value is recursive, so a deeper one would overflow the stack. */
const MAX_LEVELS = 500;

const LONG_STRING = 4096;
const [QUOTE, COMMA, BRACE, BRACKET] = [0x22, 0x2c, 0x7b, 0x5b];

/** Files are long strings, which are cheap to parse. Everything else in a body counts against its limit. */
const checked = (body: Buffer, maxBytes: number): Buffer => {
  let counted = body.length;
  for (let from = body.indexOf(QUOTE); from >= 0 && counted > maxBytes;) {
    const to = body.indexOf(QUOTE, from + 1);
    if (to < 0) break;
    if (to - from > LONG_STRING && isFile(body, from, to)) counted -= to - from;
    from = to;
  }
  if (counted > maxBytes) throw tooLarge(maxBytes);
  return body;
};

/** A `data:` URL, or the value of a field whose name ends with `data`. Text between two strings contains a comma or a bracket. */
const isFile = (body: Buffer, from: number, to: number): boolean => {
  const text = body.subarray(from + 1, to);
  const isNamed =
    text.subarray(0, 128).includes(";base64,") || body.subarray(Math.max(0, from - 8), from).includes('data"');
  return isNamed && ![COMMA, BRACE, BRACKET].some((sign) => text.subarray(128).includes(sign));
};

/** The body that a parser of the mounting program has already read. */
const parsedBefore = (
  request: IncomingMessage & { readonly body?: unknown },
  check: ((bytes: Buffer) => void) | undefined,
): unknown => {
  check?.(Buffer.from(JSON.stringify(request.body ?? "")));
  if (request.body !== undefined) return request.body;
  throw new Refusal("body-consumed", "the body was already read before it reached Runcast", {
    status: 500,
    hint: "mount Runcast before any body parser",
  });
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Refusal("bad-json", `the body is not JSON: ${messageOf(error)}`, { hint: "send valid JSON" });
  }
};

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === "object" &&
  value !== null &&
  (levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1)));

/** `refuse` returns the refusal for a body of this many bytes. */
export const readBytes = (
  request: IncomingMessage,
  maxBytes: number,
  budget: BodyBudget,
  refuse: (bytes: number) => Refusal,
): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let bytes = 0;
    const settle = (finish: () => void) => {
      pending.end();
      request.off("data", onData).off("end", onEnd).off("close", onClose).off("error", onClose);
      finish();
    };
    const giveUp = (refusal: Refusal) => {
      settle(() => reject(refusal));
      pieces.length = 0;
      // Discard the rest for a while: closing the connection now could also cut off the response.
      request.resume();
    };
    const pending = budget.begin(giveUp);
    const onData = (piece: Buffer) => {
      bytes += piece.length;
      if (bytes > maxBytes) return giveUp(refuse(bytes));
      pieces.push(piece);
      pending.grow(piece.length);
      request.pause();
      budget.readOn(request);
    };
    const onEnd = () => settle(() => resolve(Buffer.concat(pieces, bytes)));
    const onClose = () => settle(() => reject(new Refusal("aborted", "the request was cut off")));
    request.on("data", onData).on("end", onEnd).on("close", onClose).on("error", onClose);
  });

const tooLarge = (maxBytes: number) =>
  new HttpRefusal(
    413,
    "too-large",
    `the body is larger than ${maxBytes} bytes`,
    "the settings limits.bodyBytes and limits.filesBytes set the limits",
  );
