import type { Command } from "../../dialect.ts";
import { copilotkit as dialect } from "../../dialects/copilotkit.ts";
import type { Conversation, Driver, DriverOptions } from "../driver.ts";
import { StreamViewer } from "./dialect.ts";
import { createTurns } from "./dialect/turns.ts";

/** CopilotKit's runtime: AG-UI events, a request that rejoins a thread and replays it, and a request that stops its run. */
export const copilotkit = ({ url, headers = {}, agent: standard }: DriverOptions): Driver => ({
  name: "copilotkit",
  cannot: {},
  converse: ({ id = crypto.randomUUID(), agent = standard }) => {
    const turns = createTurns(dialect, id, agent);
    const written = (command: Command) => {
      const { path, method, headers: own, body } = dialect.write(command);
      const address = `${url}${path.slice("/copilotkit".length)}`;
      return { url: address, method, headers: { ...own, ...headers }, ...(body !== undefined && { body }) };
    };
    const run = { thread: id, ...(agent !== undefined && { agent }) };
    const join: Conversation["follow"] = (line) => {
      const { headers: own, ...request } = written({ do: "follow", run, after: { seq: 0, frame: 0 } });
      const sent = { ...request, headers: { "content-type": "application/json", ...own } };
      return new StreamViewer(sent, turns.decoder("beginning"), line);
    };
    return {
      id,
      send: (message, line) => new StreamViewer(written(turns.start(message)), turns.decoder("beginning"), line),
      resume: (_, line) => join(line),
      follow: join,
      cancel: async (line) => {
        const { url: address, ...init } = written({ do: "cancel", run });
        await (await line.fetch(address, init)).text();
      },
      answer: async (viewer, ask, allow, line) => {
        const call = turns.callOf(ask);
        const answers = [{ ask, answer: { allow }, ...(call !== undefined && { call }) }];
        const before = viewer as StreamViewer;
        return new StreamViewer(written(turns.answering(answers)), turns.decoder("here"), line, { before });
      },
      post: (body, line) => {
        const { url: address, ...init } = written(turns.start(""));
        return line.fetch(address, { ...init, body });
      },
    };
  },
});
