import { type Command, parseCursor } from "../../dialect.ts";
import { native as dialect } from "../../dialects/native.ts";
import type { Conversation, Driver, DriverOptions } from "../driver.ts";
import { StreamViewer } from "./dialect.ts";

/** Runcast's native protocol: the client chooses the run's id and can resume from any frame. */
export const native = ({ url, headers = {}, agent: standard }: DriverOptions): Driver => ({
  name: "native",
  cannot: {},
  converse: ({ id = `torture-${crypto.randomUUID()}`, agent = standard }) => {
    const written = (command: Command) => {
      const { path, method, headers: own, body } = dialect.write(command);
      return { url: `${url}${path}`, method, headers: { ...own, ...headers }, ...(body !== undefined && { body }) };
    };
    const started = (message: string) =>
      written({
        do: "start",
        request: {
          run: id,
          messages: [{ role: "user", content: [{ type: "text", text: message }] }],
          ...(agent !== undefined && { agent }),
        },
      });
    const conversation: Conversation = {
      id,
      send: (message, line) => new StreamViewer(started(message), dialect.decode(), line),
      resume: (viewer, line) => {
        const before = viewer as StreamViewer;
        const after = parseCursor(before.lastEventId) ?? { seq: 0, frame: 0 };
        return new StreamViewer(written({ do: "follow", run: id, after }), dialect.decode(), line, { before });
      },
      follow: (line) =>
        new StreamViewer(written({ do: "follow", run: id, after: { seq: 0, frame: 0 } }), dialect.decode(), line),
      cancel: async (line) => {
        const { url: address, ...init } = written({ do: "cancel", run: id });
        await (await line.fetch(address, init)).text();
      },
      answer: async (viewer, ask, allow, line) => {
        const { url: address, ...init } = written({ do: "answer", run: id, ask, answer: { allow } });
        const response = await line.fetch(address, init);
        if (response.status !== 200) throw new Error(`the server refused the answer: ${await response.text()}`);
        return viewer;
      },
      result: async (file, line) => await (await line.fetch(`${url}/runs/${id}/files/${file}`, { headers })).text(),
      post: (body, line) => {
        const { url: address, ...init } = started("");
        return line.fetch(address, { ...init, body });
      },
    };
    return conversation;
  },
});
