import { defineConfig } from "../../src/config.ts";
import { weather } from "./agent.ts";

const model = process.env["RUNCAST_MODEL"];

export default defineConfig({
  agents: { weather: weather(model ? { model } : {}) },
});
