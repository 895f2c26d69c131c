import { defineConfig } from "../../src/config.ts";
import { weather } from "./agent.ts";

const model = process.env["RUNCAST_MODEL"];

export default defineConfig({
  agents: {
    weather: {
      source: weather(model ? { model } : {}),
      description: "Forecast, radar and warnings over MCP",
      model: model || "demo (scripted)",
    },
  },
});
