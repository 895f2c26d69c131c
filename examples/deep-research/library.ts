import { z } from "zod";
import { type Tool, defineTool } from "runcast/tool";

export interface Source {
  readonly title: string;
  readonly url: string;
  readonly text: string;
}

/** A small built-in library, so that the example works offline. */
export const library: readonly Source[] = [
  {
    title: "HTML Standard: Server-sent events",
    url: "https://html.spec.whatwg.org/multipage/server-sent-events.html",
    text: "An event stream is text. A browser that loses its connection connects again and sends the id of the last event it saw in the header Last-Event-ID, so that a server can continue from there.",
  },
  {
    title: "RFC 9110: HTTP Semantics",
    url: "https://www.rfc-editor.org/rfc/rfc9110.html",
    text: "A request method is idempotent if the intended effect of several identical requests is that of one. A client may repeat such a request when a connection was lost before it read the answer.",
  },
  {
    title: "The Log: What every software engineer should know",
    url: "https://engineering.linkedin.com/distributed-systems/log-what-every-software-engineer-should-know-about-real-time-datas-unifying",
    text: "A log is an append-only sequence of records ordered by time. Readers keep their own position, so that a slow reader does not hold up the others and anyone can read again from the beginning.",
  },
  {
    title: "RFC 6455: The WebSocket Protocol",
    url: "https://www.rfc-editor.org/rfc/rfc6455.html",
    text: "A WebSocket carries messages both ways on one connection. The protocol has no ids for messages and no way to continue: an application that wants that must add both.",
  },
  {
    title: "Streams Standard",
    url: "https://streams.spec.whatwg.org/",
    text: "Backpressure is the signal that a chain of streams sends toward its source when a reader cannot keep up. Without it, unread data fills the memory.",
  },
  {
    title: "RFC 8895: Incremental updates with server-sent events",
    url: "https://www.rfc-editor.org/rfc/rfc8895.html",
    text: "Updates are sent as they happen over a server-sent event stream. A server may send a full replacement or a patch, whichever is smaller.",
  },
];

/** Searches the library and cites what it finds. */
export const searchLibrary = (): Tool =>
  defineTool({
    name: "search_library",
    title: "Search the library",
    description: "Searches a small library on streaming. Returns the title, URL and text of each source.",
    input: z.object({ query: z.string().min(1) }),
    doing: ({ query }) => `Searching for “${query}”…`,
    run({ query }, { cite }) {
      const found = search(query);
      for (const source of found) cite(source);
      if (found.length === 0) return "No sources found. Try other words.";
      return found.map(({ title, url, text }) => `${title}\n${url}\n${text}`).join("\n\n");
    },
  }) as Tool;

/** The two sources that share the most words with the query. */
export const search = (query: string): readonly Source[] => {
  const words = new Set(query.toLowerCase().match(/\p{L}{4,}/gu));
  return library
    .map((source) => {
      const own = new Set(`${source.title} ${source.text}`.toLowerCase().match(/\p{L}{4,}/gu));
      return { source, shared: [...words].filter((word) => own.has(word)).length };
    })
    .filter(({ shared }) => shared > 0)
    .toSorted((one, other) => other.shared - one.shared)
    .slice(0, 2)
    .map(({ source }) => source);
};
