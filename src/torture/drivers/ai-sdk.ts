import type { Command } from "../../dialect.ts";
import { aiSdk as dialect } from "../../dialects/ai-sdk.ts";
import type { Conversation, Driver, DriverOptions } from "../driver.ts";
import { StreamViewer } from "./dialect.ts";
import type { Line } from "../line.ts";
import { withSubAgents } from "./ai-sdk/sub-agents.ts";
import { readSaved } from "./ai-sdk/saved-messages.ts";
import { createTurns } from "./dialect/turns.ts";

/**
 * The AI SDK's `useChat`: `POST <url>` starts a run, `GET <url>/<chat>/stream` replays the open run, and the next request
 * carries the answers. A page that finds no open run loads the messages that the app saved, a list of UI messages, from `GET <url>/<chat>`.
 * A client that resumes rebuilds the message from scratch, so replayed content does not count as a duplicate.
 */
export const aiSdk = ({ url, headers = {}, agent: standard }: DriverOptions): Driver => ({
  name: "ai-sdk",
  cannot: {},
  converse: ({ id = `torture-${crypto.randomUUID()}`, agent = standard }) => {
    const turns = createTurns(dialect, id, agent);
    const base = dialect.routes[0]!.path;
    const written = (command: Command) => {
      const { path, method, headers: own, body } = dialect.write(command);
      const address = `${url}${path.slice(base.length)}`;
      return { url: address, method, headers: { ...own, ...headers }, ...(body !== undefined && { body }) };
    };
    const run = { thread: id, ...(agent !== undefined && { agent }) };
    const saved = async (line: Line) => {
      const response = await line.fetch(`${url}/${encodeURIComponent(id)}`, { headers });
      if (response.status !== 200) return undefined;
      const { asked, events } = readSaved(await response.json());
      turns.restore(asked, events);
      return events;
    };
    const replay: Conversation["follow"] = (line) => {
      const request = written({ do: "follow", run, after: { seq: 0, frame: 0 } });
      return new StreamViewer(request, withSubAgents(turns.decoder("beginning")), line, {
        otherwise: () => saved(line),
      });
    };
    return {
      id,
      send: (message, line) =>
        new StreamViewer(written(turns.start(message)), withSubAgents(turns.decoder("beginning")), line),
      resume: (_, line) => replay(line),
      follow: replay,
      cancel: async (line) => {
        const { url: address, ...init } = written({ do: "cancel", run });
        await (await line.fetch(address, init)).text();
      },
      answer: async (viewer, ask, allow, line) => {
        const call = turns.callOf(ask);
        const answers = [{ ask, answer: { allow }, ...(call !== undefined && { call }) }];
        const before = viewer as StreamViewer;
        return new StreamViewer(written(turns.answering(answers)), withSubAgents(turns.decoder("here")), line, {
          before,
        });
      },
      post: (body, line) => {
        const { url: address, ...init } = written(turns.start(""));
        return line.fetch(address, { ...init, body });
      },
    };
  },
});
