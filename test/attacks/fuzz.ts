import { dialects } from "../../src/config/dialects.ts";
import { createMutator } from "../mutate.ts";
import { randomFrom } from "../random.ts";
import { type Attack, type Status, rounds, send } from "./attack.ts";
import { BOB, as } from "./users.ts";
import { startRun } from "./target.ts";

const VALUES = [
  "x",
  "..",
  "%00",
  "a".repeat(300),
  "🙂",
  "rct_a.b.c",
  "__proto__",
  "1e999",
  "-1",
  "",
  "null",
  "\\",
  "'--",
];
const QUERIES = ["after", "from", "dialect", "style", "limit", "before", "token", "thread", "user", "extensions"];
const TYPES = [
  "application/json",
  "application/json",
  "text/plain",
  "application/json; charset=utf-16",
  "multipart/form-data; boundary=x",
];

/** Any response but a server error. A stream may stay open. A connection that breaks without a response is a violation. */
const ALLOWED: readonly Status[] = [
  ...Array.from({ length: 299 }, (_, index) => 200 + index).filter((status) => status < 500),
  // This server lacks the requested feature: a backup of its log, or a check of MCP servers.
  501,
  "open",
];
const OPEN_MS = 300;

/** Valid bodies that start a run in each dialect, to be mutated. */
const bodies = dialects.map((dialect) => {
  const messages = [{ role: "user" as const, content: [{ type: "text" as const, text: "x" }] }];
  return dialect.write({ do: "start", request: { messages, agent: "talker" } }).body ?? "{}";
});

/** Sends invalid input to every endpoint that the server lists. */
export const fuzz: Attack = {
  name: "fuzz: invalid input for every endpoint",
  prepare: async ({ url }) => {
    const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as { paths: Record<string, object> };
    const endpoints = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => ({ path, method: method.toUpperCase() })),
    );
    const own = await startRun(url, BOB, "asker", "hello");
    const seed = Number(process.env["RUNCAST_SEED"] ?? Date.now());
    const random = randomFrom(seed);
    const mutator = createMutator(seed);
    const pick = <Value>(list: readonly Value[]): Value => list[Math.floor(random() * list.length)]!;
    const header = (value: string) => value.replaceAll(/[^ -~]/g, "x");

    const request = ({ path, method }: (typeof endpoints)[number]) => {
      const filled = path.replaceAll(/\{[^}]*\}/g, () => encodeURIComponent(random() < 0.3 ? own : pick(VALUES)));
      const query = random() < 0.5 ? `?${pick(QUERIES)}=${encodeURIComponent(pick(VALUES))}` : "";
      const headers = { ...as(BOB), "content-type": pick(TYPES), "last-event-id": header(pick(VALUES)) };
      const accept = pick(["*/*", "application/json", "text/event-stream", "x"]);
      const body = /^(?:POST|PUT|PATCH)$/.test(method) ? { body: mutator.text(pick(bodies)) } : {};
      return [url + filled + query, { method, headers: { ...headers, accept }, ...body }] as const;
    };
    return async (report, signal) => {
      report.expect(endpoints.length > 30, `only ${endpoints.length} endpoints (seed ${seed})`);
      // A round queries every endpoint once, in four lanes with a connection each.
      await rounds(signal, async () => {
        const left = [...endpoints];
        const lane = async () => {
          for (let endpoint = left.pop(); endpoint; endpoint = left.pop())
            await send(report, ...request(endpoint), ALLOWED, OPEN_MS);
        };
        await Promise.all([lane(), lane(), lane(), lane()]);
      });
    };
  },
};
