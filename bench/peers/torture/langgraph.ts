import { randomUUID } from "node:crypto";
import { cpSync, mkdirSync } from "node:fs";
import path from "node:path";
import type { Event } from "../../../src/events.ts";
import { type Fields, fieldsOf, parseJson } from "../../../src/json.ts";
import { Decoder } from "../../../src/sources/langgraph/decoder.ts";
import { protocolEventOf } from "../../../src/sources/langgraph/protocol.ts";
import { type Driver, type Line, StreamViewer } from "../../../src/torture.ts";
import { shellLine } from "./peer.ts";
import { pythonPeer } from "./peer/python.ts";

/** LangGraph's server as `langgraph dev` starts it. The one for production needs a license, so it is not measured. */
export const setUp = pythonPeer("LangGraph", "langgraph", async ({ agent, python, port, url }, { directory }) => {
  const folder = path.join(directory, "graphs");
  mkdirSync(folder);
  const here = import.meta.dirname;
  for (const file of ["graphs.py", "langgraph.json"])
    cpSync(path.join(here, "langgraph", file), path.join(folder, file));
  cpSync(path.join(here, "python/kit.py"), path.join(folder, "kit.py"));
  const words = [python, "-m", "langgraph_cli", "dev", "--no-browser", "--no-reload", "--n-jobs-per-worker", "10"];
  const place = ["--host", "127.0.0.1", "--port", String(port)];
  return {
    name: "LangGraph (langgraph dev)",
    versions: agent.packages.filter((one) => /^langgraph-api|^langgraph=|^deepagents/.test(one)).join(", "),
    setUp:
      "The development server, with up to ten jobs at once. It keeps runs in memory and saves them to files every ten seconds, so trials wait longer than that before they kill it.",
    url: `${url}/ok`,
    command: `cd ${shellLine([folder])} && LANGSMITH_TRACING=false LANGGRAPH_CLI_NO_ANALYTICS=1 exec ${shellLine([...words, ...place])}`,
    driver: langgraph(url),
  };
});

const JSON_TYPE = { "content-type": "application/json" };
const CHANNELS = ["messages", "tools", "lifecycle", "input", "values", "custom"];

/**
 * LangGraph's streaming protocol, version 2: commands, and a stream for each thread that can be read from any sequence
 * number.
 */
const langgraph = (url: string): Driver => ({
  name: "langgraph",
  cannot: {},
  converse: ({ id = randomUUID(), agent: assistant = "torture" }) => {
    const thread = `${url}/threads/${id}`;
    let decoder = newDecoder();
    let since = 0;
    let viewing: StreamViewer | undefined;

    const command = async (line: Line, method: string, params: object): Promise<Fields> => {
      const body = JSON.stringify({ id: 1, method, params });
      const response = await line.fetch(`${thread}/commands`, { method: "POST", headers: JSON_TYPE, body });
      const text = await response.text();
      const answer = fieldsOf(parseJson(text));
      if (response.ok && answer["type"] !== "error") return fieldsOf(answer["result"]);
      const message = String(answer["message"] ?? text);
      const status = Number(/^4\d\d/.exec(message)?.[0] ?? response.status);
      throw Object.assign(new Error(message), { status });
    };
    const reading = () => ({
      url: `${thread}/stream/events`,
      method: "POST",
      headers: { ...JSON_TYPE, accept: "text/event-stream" },
      body: JSON.stringify({ channels: CHANNELS, ...(since > 0 && { since }) }),
    });
    const decode = ({ data }: { readonly data: string }): readonly Event[] => {
      const event = protocolEventOf(parseJson(data));
      if (!event || (event.seq !== undefined && event.seq <= since)) return [];
      if (event.seq !== undefined) since = event.seq;
      // The thread has no other run.
      if (decoder.run === "" && event.run !== undefined) decoder.run = event.run;
      const wasOver = decoder.end !== undefined;
      const events = decoder.event(event);
      if (wasOver || !decoder.end) return events;
      // The stream of a thread continues after a run has ended.
      setTimeout(() => viewing?.close(), 50);
      return [...events, { type: "run-end", ...decoder.end }];
    };
    const view = (line: Line, request = async () => reading(), before?: StreamViewer): StreamViewer =>
      (viewing = new StreamViewer(request, decode, line, before ? { before } : {}));

    return {
      id,
      send: (message, line) => {
        decoder = newDecoder();
        since = 0;
        return view(line, async () => {
          const body = JSON.stringify({ thread_id: id, if_exists: "do_nothing" });
          await (await line.fetch(`${url}/threads`, { method: "POST", headers: JSON_TYPE, body })).text();
          const input = { messages: [{ role: "user", content: message }] };
          const { run_id } = await command(line, "run.start", { assistant_id: assistant, input });
          if (typeof run_id === "string") decoder.run = run_id;
          return reading();
        });
      },
      resume: (viewer, line) => view(line, undefined, viewer as StreamViewer),
      follow: (line) => {
        decoder = newDecoder();
        since = 0;
        return view(line);
      },
      cancel: async (line) => {
        const address = `${thread}/runs/${decoder.run}/cancel?wait=0&action=interrupt`;
        await (await line.fetch(address, { method: "POST", headers: JSON_TYPE, body: "{}" })).text();
      },
      answer: async (viewer, ask, allow, line) => {
        const before = viewer as StreamViewer;
        for (const event of decoder.answered(ask, { allow })) before.screen.take(event);
        before.screen.take({ type: "ask-end", ask, outcome: "answered", answer: { allow } });
        const responses = decoder.pause
          .responses()
          .map(({ interrupt, namespace, response }) => ({ interrupt_id: interrupt, namespace, response }));
        await command(line, "input.respond", { responses });
        return before;
      },
      post: (body, line) => line.fetch(`${url}/threads/${id}/commands`, { method: "POST", headers: JSON_TYPE, body }),
    };
  },
});

const newDecoder = (): Decoder => {
  let count = 0;
  return new Decoder((kind) => `${kind}-${++count}`, "");
};
