import type { Command, Dialect, DialectRequest, EncodeOptions } from "../src/dialect.ts";
import { native } from "../src/dialects/native.ts";
import type { Answer, Entry } from "../src/events.ts";
import { createSegments } from "../src/segments.ts";

interface Body {
  readonly message?: string;
  readonly run?: string;
  readonly answers?: readonly { readonly ask: string; readonly answer: Answer }[];
  readonly whole?: boolean;
}

/** A dialect whose streams end when the user is asked. It knows threads, and its frames mark the end of a segment. */
export const segmented: Dialect = {
  ...native,
  name: "segmented",
  segments: true,
  asks: "next-request",
  routes: [
    { method: "POST", path: "/threads/:thread", does: "start" },
    { method: "GET", path: "/threads/:thread/latest", does: "follow" },
    { method: "POST", path: "/threads/:thread/cancel", does: "cancel" },
    { method: "POST", path: "/threads/:thread/asks/:ask", does: "answer" },
  ],
  read: ({ does }, { params, query, body }: DialectRequest): Command => {
    const agent = query.get("agent");
    const of = { thread: params["thread"] ?? "", ...(agent !== null && { agent }) };
    const run = { ...of, ...(query.has("open") && { open: true as const }) };
    const { message = "", answers, whole, run: id } = (body ?? {}) as Body;
    if (does === "follow")
      return {
        do: "follow",
        run,
        after: { seq: Number(query.get("after") ?? 0), frame: 0 },
        ...from(query),
        ...(run.open && { ifNone: 204 as const }),
      };
    if (does === "cancel") return { do: "cancel", run };
    if (does === "answer") return { do: "answer", run, ask: params["ask"] ?? "", answer: body as Answer };
    return {
      do: "start",
      request: {
        ...of,
        messages: [{ role: "user", content: [{ type: "text", text: message }] }],
        ...(id !== undefined && { run: id }),
      },
      ...(answers && { answers }),
      ...(whole && { whole: "end" as const }),
    };
  },
  encode: (options: EncodeOptions) => {
    const encode = native.encode(options);
    const segments = createSegments();
    return (entry) =>
      segments.take(entry.event) ? [...encode(entry), { event: "segment-end", data: "{}" }] : encode(entry);
  },
  answer: () => {
    const seen: string[] = [];
    return {
      take: ({ event }: Entry) => void seen.push(event.type),
      body: () => ({ status: 200, body: JSON.stringify(seen) }),
    };
  },
};
// Its frames depend on earlier ones, so it cannot use the native encodeText.
delete (segmented as { encodeText?: unknown }).encodeText;

const from = (query: URLSearchParams) => {
  if (query.has("segment")) return { from: "segment" as const };
  return query.has("run") ? { from: "run" as const } : {};
};
