import { defineConfig } from "../../src/config.ts";
import { native } from "../../src/dialects/native.ts";
import { http } from "../../src/sources/http.ts";

export default defineConfig({
  agents: { weather: http({ dialect: native, url: process.env["AGENT_URL"] ?? "http://127.0.0.1:8000" }) },
});
