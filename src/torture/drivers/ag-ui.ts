import type { Command } from "../../dialect.ts";
import { agUi as dialect } from "../../dialects/ag-ui.ts";
import type { Driver, DriverOptions } from "../driver.ts";
import { StreamViewer } from "./dialect.ts";
import { createTurns } from "./dialect/turns.ts";

/** AG-UI as `HttpAgent` of `@ag-ui/client` uses it: one request, one stream. The client keeps the conversation. */
export const agUi = ({ url, headers = {}, agent: standard }: DriverOptions): Driver => ({
  name: "ag-ui",
  cannot: {
    resume: "AG-UI's HttpAgent cannot resume a broken stream",
    follow: "AG-UI's HttpAgent cannot watch a run that another page started",
    cancel: "AG-UI's HttpAgent stops a run only by closing its connection",
    ...(standard === undefined && { agent: "its URL identifies one agent" }),
  },
  converse: ({ id = `torture-${crypto.randomUUID()}`, agent = standard }) => {
    const turns = createTurns(dialect, id, agent);
    const base = dialect.routes[0]!.path;
    const written = (command: Command) => {
      const { path, method, headers: own, body } = dialect.write(command);
      const address = `${url}${path.slice(base.length)}`;
      return { url: address, method, headers: { ...own, ...headers }, ...(body !== undefined && { body }) };
    };
    return {
      id,
      send: (message, line) => new StreamViewer(written(turns.start(message)), turns.decoder("beginning"), line),
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
