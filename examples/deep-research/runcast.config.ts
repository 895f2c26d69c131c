import { defineConfig } from "../../src/config.ts";
import { deepResearch } from "./agent.ts";

const model = process.env["RUNCAST_MODEL"];

export default defineConfig({
  agents: {
    "deep-research": {
      source: deepResearch(model ? { model } : {}),
      description: "Plans, researches in parallel, reports with sources",
      model: model || "demo (scripted)",
    },
  },
});
