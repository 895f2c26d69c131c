import { aiSdk as dialect } from "../../dialects/ai-sdk.ts";
import type { Conversation, Driver, DriverOptions } from "../driver.ts";
import { StreamViewer } from "./dialect.ts";
import type { Line } from "../line.ts";
import { withSubAgents } from "./ai-sdk/sub-agents.ts";
import { readSaved } from "./ai-sdk/saved-messages.ts";
import { keepConversation } from "./dialect/conversation.ts";

/**
 * The AI SDK's `useChat`: `POST <url>` starts a run, `GET <url>/<chat>/stream` replays the open run, and the next request
 * carries the answers. A page that finds no open run loads the messages that the app saved, a list of UI messages, from `GET <url>/<chat>`.
 * A client that resumes rebuilds the message from scratch, so replayed content does not count as a duplicate.
 */
export const aiSdk = ({ url, headers = {}, agent: standard }: DriverOptions): Driver => ({
  name: "ai-sdk",
  cannot: {},
  converse: ({ id = `torture-${crypto.randomUUID()}`, agent = standard }) => {
    const base = dialect.routes[0]!.path;
    const kept = keepConversation({ dialect, base, url, headers, id, agent, decoding: withSubAgents });
    const { turns, run, written, decoder, send, cancel, answer, post } = kept;
    const saved = async (line: Line) => {
      const response = await line.fetch(`${url}/${encodeURIComponent(id)}`, { headers });
      if (response.status !== 200) return undefined;
      const { asked, events } = readSaved(await response.json());
      turns.restore(asked, events);
      return events;
    };
    const replay: Conversation["follow"] = (line) => {
      const request = written({ do: "follow", run, after: { seq: 0, frame: 0 } });
      return new StreamViewer(request, decoder("beginning"), line, {
        otherwise: () => saved(line),
      });
    };
    return { id, send, resume: (_, line) => replay(line), follow: replay, cancel, answer, post };
  },
});
