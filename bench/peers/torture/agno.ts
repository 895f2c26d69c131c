import { randomUUID } from "node:crypto";
import path from "node:path";
import type { Event } from "../../../src/events.ts";
import { Decoder } from "../../../src/sources/agno/decoder.ts";
import { type Driver, type Line, StreamViewer } from "../../../src/torture.ts";
import { pythonCommand, pythonPeer } from "./peer/python.ts";

/**
 * An AgentOS with SQLite, whose runs continue in the background and can be resumed, as its documentation recommends for
 * long runs.
 */
export const setUp = pythonPeer("Agno", "agno", async ({ agent, python, port, url }, { directory }) => {
  const variables = { PORT: String(port), DB: path.join(directory, "agno.db"), AGNO_TELEMETRY: "false" };
  return {
    name: "Agno AgentOS",
    versions: agent.packages[0]!,
    setUp:
      "Its server with SQLite, and a team of two. Runs execute in the background, as its documentation recommends for long runs. It notices a cancel when the model's next piece of text arrives; in the trial, none does.",
    url,
    command: pythonCommand(python, "agno/server.py", variables),
    driver: agno(url),
  };
});

/** AgentOS's own API. */
const agno = (url: string): Driver => ({
  name: "agno",
  cannot: {},
  converse: ({ id = randomUUID(), agent: team = "torture" }) => {
    let decoder = newDecoder();
    const runs = `${url}/teams/${team}/runs`;
    const form = (address: string, fields: Record<string, string>) => ({
      url: address,
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ stream: "true", background: "true", session_id: id, ...fields }).toString(),
    });
    const decode = () => {
      const own = decoder;
      let isOver = false;
      const ended = (events: readonly Event[]): readonly Event[] => {
        if (isOver || !own.end) return events;
        isOver = true;
        return [...events, { type: "run-end", ...own.end }];
      };
      return Object.assign(({ data }: { readonly data: string }) => ended(own.frame(data)), {
        pause: () => own.quiet(),
      });
    };
    return {
      id,
      send: (message, line) => {
        decoder = newDecoder();
        return new StreamViewer(form(runs, { message, run_id: id }), decode(), line);
      },
      resume: (viewer, line) => {
        const index: Record<string, string> = decoder.index >= 0 ? { last_event_index: String(decoder.index) } : {};
        return new StreamViewer(form(`${runs}/${id}/resume`, index), decode(), line, {
          before: viewer as StreamViewer,
        });
      },
      follow: (line) => {
        decoder = newDecoder();
        return new StreamViewer(form(`${runs}/${id}/resume`, {}), decode(), line);
      },
      cancel: async (line) => {
        const response = await line.fetch(`${runs}/${id}/cancel?session_id=${id}`, { method: "POST" });
        await response.text();
      },
      answer: async (viewer, ask, allow, line: Line) => {
        const before = viewer as StreamViewer;
        for (const event of decoder.pause.answered(ask, { allow })) before.screen.take(event);
        before.screen.take({ type: "ask-end", ask, outcome: "answered", answer: { allow } });
        const requirements = JSON.stringify(decoder.pause.requirements());
        decoder.continued();
        return new StreamViewer(form(`${runs}/${id}/continue`, { requirements }), decode(), line, { before });
      },
      post: (body, line) => {
        const { url: address, ...init } = form(runs, {});
        return line.fetch(address, { ...init, headers: { "content-type": "application/json" }, body });
      },
    };
  },
});

const newDecoder = (): Decoder => {
  let count = 0;
  return new Decoder((kind) => `${kind}-${++count}`);
};
