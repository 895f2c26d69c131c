import type { Log, StoredFile } from "../log.ts";
import { Refusal } from "../source.ts";
import { HttpRefusal } from "./refusals.ts";

/**
 * A file stored alongside the log, whole or in part. Agents create files from untrusted input, so they are only offered as
 * downloads and never run on our origin.
 */
export const fileResponse = async (
  log: Log,
  run: string,
  file: string,
  request: Request,
  onBroken: OnBroken,
): Promise<Response> => {
  const stored = await log.get(run, file);
  if (!stored)
    throw new Refusal("unknown-file", `run ${run} has no file ${file.slice(0, 100)}`, {
      status: 404,
      hint: "see the run's events for its files",
    });
  const etag = `"${encodeURIComponent(file)}"`;
  const headers = new Headers({
    "content-type": /^[\w.+-]+\/[\w.+-]+(?:; *charset=[\w-]+)?$/.test(stored.mediaType)
      ? stored.mediaType
      : "application/octet-stream",
    "content-disposition": `attachment; filename*=UTF-8''${encodeURIComponent((stored.name ?? file).toWellFormed())}`,
    "content-security-policy": "sandbox; default-src 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "accept-ranges": "bytes",
    "cache-control": "private, no-cache",
    etag,
  });
  const wanted = request.headers.get("range");
  const condition = request.headers.get("if-range");
  const range =
    wanted !== null && (condition === null || condition === etag) ? parseRange(wanted, stored.size) : undefined;
  if (!range) return respond(200, headers, stored, stored.size, request, onBroken);
  if (range === "none")
    throw new HttpRefusal(
      416,
      "bad-range",
      `the file has only ${stored.size} bytes`,
      "request a range within the file",
      {
        headers: { "content-range": `bytes */${stored.size}` },
      },
    );
  const part = await log.get(run, file, range);
  headers.set("content-range", `bytes ${range.start}-${range.end - 1}/${stored.size}`);
  return respond(206, headers, part ?? stored, range.end - range.start, request, onBroken);
};

const respond = (
  status: number,
  headers: Headers,
  { bytes }: StoredFile,
  length: number,
  request: Request,
  onBroken: OnBroken,
) => {
  headers.set("content-length", `${length}`);
  return new Response(request.method === "HEAD" ? null : streamOf(bytes, onBroken), { status, headers });
};

/** Called when the rest of a body cannot be read. Must cut the connection, because a response that ends would look complete. */
export type OnBroken = (error: unknown) => void;

/** A body that is read only as fast as it is sent. */
export const streamOf = (pieces: AsyncIterable<Uint8Array>, onBroken: OnBroken): ReadableStream<Uint8Array> => {
  const iterator = pieces[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        try {
          const { done, value } = await iterator.next();
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          onBroken(error);
          // Close without an error, because on an error the sender would end the response itself.
          controller.close();
        }
      },
      cancel: async () => {
        await iterator.return?.();
      },
    },
    { highWaterMark: 0 },
  );
};

/** A single byte range. Undefined if it should be ignored (several ranges, another unit), `none` if it is out of bounds. */
const parseRange = (text: string, size: number): { start: number; end: number } | "none" | undefined => {
  const match = /^bytes=(\d*)-(\d*)$/.exec(text.trim());
  if (!match || (match[1] === "" && match[2] === "")) return undefined;
  const [, first = "", last = ""] = match;
  if (first === "") {
    const length = Math.min(Number(last), size);
    return length === 0 ? "none" : { start: size - length, end: size };
  }
  const start = Number(first);
  if (last !== "" && Number(last) < start) return undefined;
  if (start >= size) return "none";
  return { start, end: last === "" ? size : Math.min(Number(last) + 1, size) };
};
