import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";

/** Writes the agent's configuration into its home directory, so that it uses the provider at `url`. Returns its environment. */
type SetUp = (home: string, url: string, folder: string) => Readonly<Record<string, string>>;

const write = (file: string, content: string): void => {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, content);
};

export const setUps: Readonly<Record<string, SetUp>> = {
  gemini(home, url) {
    const settings = {
      security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } },
      general: { enableAutoUpdate: false, disableAutoUpdate: true },
      telemetry: { enabled: false },
      privacy: { usageStatisticsEnabled: false },
      useWriteTodos: true,
      model: { name: "gemini-2.5-flash" },
    };
    write(path.join(home, ".gemini/settings.json"), JSON.stringify(settings));
    return {
      GEMINI_API_KEY: "none",
      GOOGLE_GEMINI_BASE_URL: url,
      GEMINI_MODEL: "gemini-2.5-flash",
      GEMINI_CLI_NO_RELAUNCH: "true",
      GEMINI_CLI_TRUST_WORKSPACE: "true",
    };
  },
  kimi(home, url) {
    const settings = `default_model = "scripted"
telemetry = false
[models.scripted]
provider = "scripted"
model = "scripted"
max_context_size = 100000
capabilities = ["thinking", "tool_use"]
[providers.scripted]
type = "openai"
base_url = "${url}/v1"
api_key = "none"
`;
    write(path.join(home, ".kimi-code/config.toml"), settings);
    return { KIMI_CODE_HOME: path.join(home, ".kimi-code"), KIMI_DISABLE_TELEMETRY: "1" };
  },
  claude(home, url) {
    return {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: "sk-ant-none",
      ANTHROPIC_MODEL: "claude-sonnet-4-5",
      CLAUDE_CONFIG_DIR: path.join(home, ".claude"),
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      DISABLE_TELEMETRY: "1",
      ENABLE_TOOL_SEARCH: "false",
      IS_SANDBOX: "1",
    };
  },
  codex(home, url, folder) {
    const settings = `model = "scripted"
model_provider = "scripted"
sandbox_mode = "workspace-write"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.scripted]
name = "Scripted"
base_url = "${url}/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
request_max_retries = 1
stream_max_retries = 0
[projects."${folder}"]
trust_level = "trusted"
`;
    write(path.join(home, ".codex/config.toml"), settings);
    mkdirSync(path.join(home, "tmp"), { recursive: true });
    return {
      CODEX_HOME: path.join(home, ".codex"),
      TMPDIR: path.join(home, "tmp"),
      SCRIPTED_KEY: "none",
      NO_BROWSER: "1",
      MODEL_PROVIDER: "scripted",
      INITIAL_AGENT_MODE: "read-only",
    };
  },
  opencode(home, url) {
    const model = { name: "Scripted", reasoning: true, tool_call: true, limit: { context: 100_000, output: 8000 } };
    const settings = {
      autoupdate: false,
      share: "disabled",
      model: "scripted/scripted",
      small_model: "scripted/scripted",
      enabled_providers: ["scripted"],
      provider: {
        scripted: {
          npm: "@ai-sdk/openai-compatible",
          name: "Scripted",
          options: { baseURL: `${url}/v1`, apiKey: "none" },
          models: { scripted: model },
        },
      },
      permission: { edit: "ask", bash: "ask" },
    };
    write(path.join(home, "opencode.json"), JSON.stringify(settings));
    return {
      OPENCODE_CONFIG: path.join(home, "opencode.json"),
      XDG_DATA_HOME: path.join(home, "data"),
      XDG_CONFIG_HOME: path.join(home, "config"),
      XDG_CACHE_HOME: path.join(home, "cache"),
      XDG_STATE_HOME: path.join(home, "state"),
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
      OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
    };
  },
};
