import type { Decoder } from "../../../../src/dialect.ts";
import { aiSdk as dialect } from "../../../../src/dialects/ai-sdk.ts";
import type { Event } from "../../../../src/events.ts";
import { type Fields, fieldsOf, parseFields } from "../../../../src/json.ts";
import { type Driver, type Line, StreamViewer, type Viewer } from "../../../../src/torture.ts";
import { keepConversation } from "../../../../src/torture/drivers/dialect/conversation.ts";

/** What a page has read of a run. */
interface Reading {
  readonly decode: Decoder;
  /** The `startIndex` of the next request. */
  chunks: number;
}

/**
 * `WorkflowChatTransport` of `@ai-sdk/workflow`: a response header names the run,
 * `GET <url>/<run>/stream?startIndex=<chunks>` continues after the chunks that were received, and only a `finish` chunk
 * ends the message. A page that is loaded again has the run and the messages in its local storage, as in the Workflow
 * SDK's guide to resumable streams.
 */
export const workflowChat = (url: string): Driver => {
  const localStorage = new Map<string, string>();
  const readings = new WeakMap<Viewer, Reading>();
  return {
    name: "workflow-agent",
    cannot: { agent: "its address is one agent" },
    converse: ({ id }) => {
      let run = id ?? "";
      let message = localStorage.get(run) ?? "";
      const { turns, written, decoder, post } = keepConversation({
        dialect,
        base: dialect.routes[0]!.path,
        url,
        headers: {},
        id: `torture-${crypto.randomUUID()}`,
        agent: undefined,
      });
      if (id !== undefined) turns.restore(message, []);
      /** Notes which run answers. */
      const noting = (line: Line): Line => {
        const fetch: Line["fetch"] = async (...asked) => {
          const response = await line.fetch(...asked);
          run = response.headers.get("x-workflow-run-id") ?? run;
          localStorage.set(run, message);
          return response;
        };
        return Object.assign(Object.create(line) as Line, { fetch });
      };
      const view = (
        request: ConstructorParameters<typeof StreamViewer>[0],
        reading: Reading,
        line: Line,
        before?: Viewer,
      ): StreamViewer => {
        const options = before ? { before: before as StreamViewer } : {};
        const viewer = new StreamViewer(request, reading.decode, noting(line), options);
        readings.set(viewer, reading);
        return viewer;
      };
      const rest = (reading: Reading) => async () => {
        if (run === "") throw new Error("the page does not know the run: the response's headers did not arrive");
        return { url: `${url}/${encodeURIComponent(run)}/stream?startIndex=${reading.chunks}` };
      };
      return {
        get id() {
          return run;
        },
        send: (asked, line) => {
          message = asked;
          return view(written(turns.start(asked)), newReading(decoder("beginning")), line);
        },
        resume: (viewer, line) => {
          const reading = readings.get(viewer)!;
          return view(rest(reading), reading, line, viewer);
        },
        follow: (line) => {
          const reading = newReading(decoder("beginning"));
          return view(rest(reading), reading, line);
        },
        cancel: async (line) => {
          const init = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" };
          const response = await line.fetch(`${url}/${encodeURIComponent(run)}/stop`, init);
          await response.text();
        },
        answer: async (viewer, ask, allow, line) =>
          view(written(turns.answering(ask, { allow })), newReading(decoder("here")), line, viewer),
        post,
      };
    },
  };
};

const newReading = (decode: Decoder): Reading => {
  /** A retried model call reuses the ids of its texts. */
  let attempt = 0;
  const parts = new Set<string>();
  const helpers = new Map<string, string>();
  const take = (type: string, chunk: Fields): readonly Event[] => {
    if (type === "reset-step") {
      attempt++;
      const cut = [...parts].map((part): Event => ({ type: "text-end", part, cut: true }));
      parts.clear();
      return cut;
    }
    if (type === "data-helper") return helped(chunk, helpers);
    if (type === "start-step") parts.clear();
    const id = /^(text|reasoning)-/.test(type) ? { id: `${attempt}-${String(chunk["id"])}` } : {};
    const events = decode({ data: JSON.stringify({ ...chunk, ...id }) });
    for (const event of events) if (event.type === "text-start") parts.add(event.part);
    return events;
  };
  const reading: Reading = {
    chunks: 0,
    decode: ({ data }) => {
      const chunk = parseFields(data);
      if (!chunk) return [];
      reading.chunks++;
      return take(String(chunk["type"]), chunk);
    },
  };
  return reading;
};

/** The page shows a helper's data part as the helper's text. */
const helped = ({ id, data }: Fields, helpers: Map<string, string>): readonly Event[] => {
  const agent = String(id);
  const text = String(fieldsOf(data)["text"]);
  const before = helpers.get(agent);
  helpers.set(agent, text);
  const part = `${agent}-text`;
  const delta: Event = { type: "text-delta", agent, part, delta: text.slice(before?.length ?? 0) };
  if (before !== undefined) return [delta];
  return [{ type: "agent-start", agent, name: "helper" }, { type: "text-start", agent, part }, delta];
};
