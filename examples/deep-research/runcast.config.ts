import { defineConfig } from "runcast/config";
import { deepResearch } from "./agent.ts";

const model = process.env["RUNCAST_MODEL"];

export default defineConfig({
  agents: { "deep-research": deepResearch(model ? { model } : {}) },
});
