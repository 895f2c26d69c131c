import { copilotkit as dialect } from "../../dialects/copilotkit.ts";
import type { Conversation, Driver, DriverOptions } from "../driver.ts";
import { StreamViewer } from "./dialect.ts";
import { keepConversation } from "./dialect/conversation.ts";

/** CopilotKit's runtime: AG-UI events, a request that rejoins a thread and replays it, and a request that stops its run. */
export const copilotkit = ({ url, headers = {}, agent: standard }: DriverOptions): Driver => ({
  name: "copilotkit",
  cannot: {},
  converse: ({ id = crypto.randomUUID(), agent = standard }) => {
    const kept = keepConversation({ dialect, base: "/copilotkit", url, headers, id, agent });
    const { run, written, decoder, send, cancel, answer, post } = kept;
    const join: Conversation["follow"] = (line) => {
      const { headers: own, ...request } = written({ do: "follow", run, after: { seq: 0, frame: 0 } });
      const sent = { ...request, headers: { "content-type": "application/json", ...own } };
      return new StreamViewer(sent, decoder("beginning"), line);
    };
    return { id, send, resume: (_, line) => join(line), follow: join, cancel, answer, post };
  },
});
