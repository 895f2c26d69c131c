import type { Decoder } from "../../dialect.ts";
import { copilotkit as dialect } from "../../dialects/copilotkit.ts";
import { fieldsOf, listOf, parseFields } from "../../json.ts";
import type { Conversation, Driver, DriverOptions } from "../driver.ts";
import { StreamViewer } from "./dialect.ts";
import { keepConversation } from "./dialect/conversation.ts";

/** CopilotKit's runtime: AG-UI events, a request that rejoins a thread and replays it, and a request that stops its run. */
export const copilotkit = ({ url, headers = {}, agent: standard }: DriverOptions): Driver => ({
  name: "copilotkit",
  cannot: {},
  converse: ({ id = crypto.randomUUID(), agent = standard }) => {
    const kept = keepConversation({ dialect, base: "/copilotkit", url, headers, id, agent });
    const { turns, run, written, decoder, send, cancel, answer, post } = kept;
    /** A page that joins a thread takes the user's message from the run that it is shown, as AG-UI's client does. */
    const joined = (decode: Decoder): Decoder => {
      const take: Decoder = (frame) => {
        const asked = askedIn(frame.data);
        if (asked !== undefined) turns.restore(asked, []);
        return decode(frame);
      };
      return Object.assign(take, decode);
    };
    const join: Conversation["follow"] = (line) => {
      const { headers: own, ...request } = written({ do: "follow", run, after: { seq: 0, frame: 0 } });
      const sent = { ...request, headers: { "content-type": "application/json", ...own } };
      return new StreamViewer(sent, joined(decoder("beginning")), line);
    };
    return { id, send, resume: (_, line) => join(line), follow: join, cancel, answer, post };
  },
});

const askedIn = (data: string): string | undefined => {
  const { type, input } = parseFields(data) ?? {};
  if (type !== "RUN_STARTED") return undefined;
  const messages = listOf(fieldsOf(input)["messages"]).map(fieldsOf);
  const content = messages.findLast(({ role }) => role === "user")?.["content"];
  return typeof content === "string" ? content : undefined;
};
