import path from "node:path";
import { defineConfig } from "runcast/config";
import { studyCompanion } from "./agent.ts";
import { saveMessages } from "./save-messages.ts";

const model = process.env["RUNCAST_MODEL"];
const home = process.env["RUNCAST_STUDY"] ?? path.join(import.meta.dirname, ".runcast");

export default defineConfig({
  agents: {
    "study-companion": studyCompanion({ workspace: path.join(home, "workspace"), ...(model && { model }) }),
  },
  onEnd: saveMessages(path.join(home, "messages.jsonl")),
});
