import { defineConfig } from "runcast/config";
import { weather } from "./agent.ts";

const model = process.env["RUNCAST_MODEL"];

export default defineConfig({
  agents: { weather: weather(model ? { model } : {}) },
});
