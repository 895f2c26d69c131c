import { native } from "../src/dialects/native.ts";
import { sqlite } from "../src/logs/sqlite.ts";
import { createServer } from "../src/server.ts";
import type { Source } from "../src/source.ts";

/** A server in its own process, to be killed during a run: `node restarted-server.ts <directory> <port>`. */
const [directory, port] = process.argv.slice(2);

/** Leaves a call and a part open until it is stopped. */
const source: Source = async function* (_, { signal }) {
  yield { type: "step-start", step: "s" };
  yield { type: "tool-start", call: "c", name: "wait" };
  yield { type: "tool-input-end", call: "c", input: {} };
  yield { type: "text-start", part: "p" };
  yield { type: "text-delta", part: "p", delta: "half" };
  await new Promise((resolve) => signal.addEventListener("abort", resolve));
};

const server = createServer({
  agents: { waiter: source },
  dialects: [native],
  log: sqlite({ directory: directory! }),
  port: Number(port),
});
const listening = await server.listen();
process.send?.(listening.port);
