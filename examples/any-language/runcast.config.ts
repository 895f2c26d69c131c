import { defineConfig } from "runcast/config";
import { native } from "runcast/dialects/native";
import { http } from "runcast/sources/http";

export default defineConfig({
  agents: { weather: http({ dialect: native, url: process.env["AGENT_URL"] ?? "http://127.0.0.1:8000" }) },
});
