import { agUi as dialect } from "../../dialects/ag-ui.ts";
import type { Driver, DriverOptions } from "../driver.ts";
import { keepConversation } from "./dialect/conversation.ts";

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
    const base = dialect.routes[0]!.path;
    const { send, answer, post } = keepConversation({ dialect, base, url, headers, id, agent });
    return { id, send, answer, post };
  },
});
