// A small MCP weather server over stdio, one JSON message per line: a fast tool, a slow one, and one that fails.
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";

type Json = Record<string, unknown>;
interface Request {
  readonly id?: string | number;
  readonly method: string;
  readonly params?: Json;
}
interface Call {
  readonly signal: AbortSignal;
  progress(progress: number, total: number, message: string): void;
}

/** How long the radar takes for each picture. */
const PICTURE_MS = Number(process.env["PICTURE_MS"] ?? 400);
const PICTURES = 5;

const place = {
  type: "object",
  properties: { city: { type: "string", description: "The name of a city, e.g. Oslo" } },
  required: ["city"],
};
const tools: Record<string, Json & { run(input: Json, call: Call): Promise<Json> }> = {
  get_forecast: {
    title: "Forecast",
    description: "The weather in a city for the next three days.",
    inputSchema: place,
    annotations: { readOnlyHint: true },
    async run({ city }) {
      const days = ["today", "tomorrow", "the day after"].map((day, index) => ({
        day,
        ...weather(`${city} ${index}`),
      }));
      const lines = days.map(({ day, sky, degrees }) => `${day}: ${sky}, ${degrees} °C`);
      return { content: [text(`${city}\n${lines.join("\n")}`)], structuredContent: { city, days } };
    },
  },
  get_radar: {
    title: "Radar",
    description: "Where it is raining around a city, from radar pictures of the last hour. Takes a few seconds.",
    inputSchema: place,
    annotations: { readOnlyHint: true },
    async run({ city }, { signal, progress }) {
      for (let picture = 1; picture <= PICTURES; picture += 1) {
        await wait(PICTURE_MS, undefined, { signal });
        progress(picture, PICTURES, `picture ${picture} of ${PICTURES}`);
      }
      const { degrees } = weather(`${city} radar`);
      return { content: [text(`Rain ${Math.abs(degrees) + 5} km west of ${city}, moving north.`)] };
    },
  },
  get_alerts: {
    title: "Alerts",
    description: "Weather warnings for a city.",
    inputSchema: place,
    annotations: { readOnlyHint: true },
    async run({ city }) {
      return { content: [text(`The warning service has no station near ${city}.`)], isError: true };
    },
  },
};

const text = (value: string) => ({ type: "text", text: value });

/** Invented, but always the same for the same place and day. */
const weather = (seed: string): { sky: string; degrees: number } => {
  const sum = [...seed].reduce((total, letter) => total * 31 + letter.charCodeAt(0), 7) % 1009;
  return { sky: ["clear", "cloudy", "light rain", "snow"][sum % 4]!, degrees: (sum % 30) - 5 };
};

const send = (message: Json) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const running = new Map<unknown, AbortController>();

const answer = async ({ id, method, params = {} }: Request): Promise<Json | undefined> => {
  switch (method) {
    case "initialize":
      return {
        protocolVersion: "2025-11-25",
        capabilities: { tools: {} },
        serverInfo: { name: "weather", title: "Weather", version: "1.0.0" },
      };
    case "ping":
      return {};
    case "tools/list":
      return { tools: Object.entries(tools).map(([name, { run: _, ...tool }]) => ({ name, ...tool })) };
    case "tools/call": {
      const { name, arguments: input = {}, _meta } = params as { name: string; arguments?: Json; _meta?: Json };
      const token = _meta?.["progressToken"];
      const controller = new AbortController();
      running.set(id, controller);
      const progress: Call["progress"] = (done, total, message) =>
        token !== undefined &&
        send({ method: "notifications/progress", params: { progressToken: token, progress: done, total, message } });
      const found = tools[name];
      if (!found) return { content: [text(`There is no tool ${name}.`)], isError: true };
      return found.run(input, { signal: controller.signal, progress });
    }
    default:
      return undefined;
  }
};

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line) as Request;
  const { id, method, params } = request;
  if (method === "notifications/cancelled") running.get(params?.["requestId"])?.abort();
  if (id === undefined || method === undefined) continue;
  void answer(request)
    .then((result) =>
      send(result ? { id, result } : { id, error: { code: -32_601, message: `There is no ${method}.` } }),
    )
    .catch((error: Error) => send({ id, error: { code: -32_603, message: error.message } }))
    .finally(() => running.delete(id));
}
