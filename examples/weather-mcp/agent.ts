// An agent that queries a weather server over MCP. Without a configured model, uses a scripted one.
import path from "node:path";
import { type DemoStory, demo } from "runcast/models/demo";
import type { Source } from "runcast/source";
import { type Model, agent } from "runcast/sources/agent";
import { type Mcp, mcp } from "runcast/tools/mcp";

/** Starts the server with the first message. */
export const weatherServer = (env: Readonly<Record<string, string>> = {}): Mcp =>
  mcp({
    servers: {
      weather: {
        command: process.execPath,
        args: [path.join(import.meta.dirname, "server.ts")],
        env,
        stderr: "ignore",
      },
    },
  });

export const weather = ({ model, speed = 1, tools = weatherServer() }: WeatherOptions = {}): Source =>
  agent({
    description: "Looks at the forecast, the radar and the warnings.",
    model: model ?? demo({ speed, stories: [story] }),
    instructions: "You answer questions about the weather with your tools. If one fails, say so and answer without it.",
    tools: [tools],
  });

export interface WeatherOptions {
  readonly model?: Model;
  /** The speed of the scripted model. */
  readonly speed?: number;
  readonly tools?: Mcp;
}

const city = (message: string): string => /\bin (\p{L}[\p{L} ]*)/u.exec(message)?.[1]?.trim() ?? "Oslo";

const story: DemoStory = {
  name: "weather",
  message: "What is the weather in Oslo?",
  description: "an instant forecast, a slow radar, and a warning service that fails",
  matches: ({ tools }) => tools.has("weather__get_forecast"),
  steps: [
    ({ message }) => [
      {
        think:
          "The forecast is quick and the radar takes a moment, so I'll run both at once, and check the warnings too.",
      },
      { say: `Let me check the weather in ${city(message)}.` },
      { call: "weather__get_forecast", input: { city: city(message) } },
      { call: "weather__get_radar", input: { city: city(message) } },
      { call: "weather__get_alerts", input: { city: city(message) } },
    ],
    ({ message, resultsOf }) => [
      {
        say: [
          `**${city(message)}**\n`,
          ...resultsOf("weather__get_forecast").flatMap((forecast) =>
            forecast
              .split("\n")
              .slice(1)
              .map((line) => `- ${line}`),
          ),
          `\n${resultsOf("weather__get_radar").join("")}`,
          `\nI could not get the warnings: ${resultsOf("weather__get_alerts").join("")}`,
        ].join("\n"),
      },
    ],
  ],
};
