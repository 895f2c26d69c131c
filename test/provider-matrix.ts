import { createServer } from "node:http";
import type { Event } from "../src/events.ts";
import { memory } from "../src/logs/memory.ts";
import { provider } from "../src/models/provider.ts";
import { createRunner } from "../src/runner.ts";
import { agent } from "../src/sources/agent.ts";
import { CAPABILITIES, type Capability, REASON, recordings, SOURCE } from "./recordings/providers.ts";

/** The sizes of the pieces: everything together, and pieces that end anywhere, even within line ends. */
const SPLITS = [Number.POSITIVE_INFINITY, 97, 13];

/** A server that answers `/<provider>/<capability>/<bytes>/…` with the recording. */
const start = async () => {
  const server = createServer(async (request, response) => {
    const [, name = "", capability = "", bytes = ""] = (request.url ?? "").split("/");
    request.resume();
    const { answers, error } = recordings[name]!;
    if (capability === "errors")
      return void response
        .writeHead(error.status, { "content-type": "application/json" })
        .end(JSON.stringify(error.body));
    const body = Buffer.from(answers[capability as keyof typeof answers] ?? "");
    response.writeHead(200, { "content-type": "text/event-stream" });
    const size = Number(bytes) || body.length;
    for (let at = 0; at < body.length && !response.destroyed; at += size) {
      response.write(body.subarray(at, at + size));
      await new Promise((resolve) => setImmediate(resolve));
    }
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  return { url: `http://127.0.0.1:${port}`, stop: () => server.close() };
};

const eventsOf = async (url: string, name: string): Promise<readonly Event[]> => {
  const endpoint = { baseUrl: url, apiKey: "key" };
  const known = ["openai", "openai-chat", "anthropic", "google"].includes(name);
  const models = provider({
    openai: endpoint,
    anthropic: endpoint,
    google: endpoint,
    ...(!known && { compatible: { [name]: endpoint } }),
  });
  const log = memory();
  const runner = createRunner({ log });
  const source = agent({ name: "test", model: `${name}/m`, provider: models, maxSteps: 1 });
  const messages = [{ role: "user" as const, content: [{ type: "text" as const, text: "hi" }] }];
  const { run } = await runner.start({ messages, tools: [{ name: "weather" }] }, { name: "test", source });
  while ((await log.info(run))?.endedAt === undefined) await new Promise((tick) => setTimeout(tick, 1));
  const entries = await log.read(run, 0, 10_000);
  await runner.close();
  return entries.map(({ event }) => event);
};

const joined = (events: readonly Event[], type: Event["type"]): string =>
  events.map((event) => (event.type === type && "delta" in event ? event.delta : "")).join("");

/** Whether a run shows exactly what the recording contains. */
const SHOWS: Readonly<Record<Capability, (events: readonly Event[]) => boolean>> = {
  text: (events) => joined(events, "text-delta") === "Hello there.",
  thinking: (events) => joined(events, "thinking-delta") === "Hm." && joined(events, "text-delta") === "Hello there.",
  tools: (events) => {
    const end = events.find((event) => event.type === "tool-input-end");
    const input = joined(events, "tool-input-delta") || JSON.stringify(end?.input);
    return (
      events.some((event) => event.type === "tool-start" && event.name === "weather") && input === '{"city":"Oslo"}'
    );
  },
  citations: (events) => events.filter((event) => event.type === "citation" && event.url === SOURCE.url).length === 1,
  images: (events) =>
    events.some(
      (event) =>
        (event.type === "file" && event.mediaType === "image/png") ||
        (event.type === "tool-end" &&
          event.content?.some((part) => part.type === "file" && part.mediaType === "image/png")),
    ),
  usage: (events) =>
    events.some((event) => event.type === "step-end" && event.usage?.input === 5 && event.usage.output === 7),
  errors: (events) => {
    const end = events.at(-1);
    return end?.type === "run-end" && end.outcome === "error" && end.error?.message.includes(REASON) === true;
  },
};

type Shown = "yes" | "no" | "–";

/** What is shown of every provider's recordings, at every split. "–" if its format has none. */
export const providerMatrix = async (): Promise<Readonly<Record<string, Readonly<Record<Capability, Shown>>>>> => {
  const { url, stop } = await start();
  const matrix: Record<string, Record<Capability, Shown>> = {};
  for (const [name, { answers }] of Object.entries(recordings)) {
    const shown = async (capability: Capability): Promise<Shown> => {
      if (capability !== "errors" && answers[capability] === undefined) return "–";
      const all = SPLITS.map((size) => (Number.isFinite(size) ? size : 0)).map(async (bytes) =>
        SHOWS[capability](await eventsOf(`${url}/${name}/${capability}/${bytes}/v1`, name)),
      );
      return (await Promise.all(all)).every(Boolean) ? "yes" : "no";
    };
    const row = await Promise.all(CAPABILITIES.map(async (one) => [one, await shown(one)] as const));
    matrix[name] = Object.fromEntries(row) as Record<Capability, Shown>;
  }
  stop();
  return matrix;
};

/** The table in `docs/models.md`. */
export const matrixTable = (matrix: Awaited<ReturnType<typeof providerMatrix>>): string =>
  [
    `| provider | ${CAPABILITIES.join(" | ")} |`,
    `|---|${"---|".repeat(CAPABILITIES.length)}`,
    ...Object.entries(matrix).map(
      ([name, row]) => `| \`${name}\` | ${CAPABILITIES.map((capability) => row[capability]).join(" | ")} |`,
    ),
  ].join("\n");
