import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { signIn } from "../../../test/open-webui/live/account.ts";
import { OFFLINE } from "../../../test/open-webui/live/open-webui.ts";
import { openWebUi } from "./open-webui/driver.ts";
import { type SetUp, shellLine } from "./peer.ts";

const root = path.join(import.meta.dirname, "../../..");
const home = process.env["RUNCAST_OPEN_WEBUI_HOME"] ?? path.join(root, ".cache/open-webui");

/** Open WebUI with the kit's tools as its own, for one user. Its page chooses in each chat whether tools ask first. */
export const setUp: SetUp = async ({ directory, port }) => {
  const program = path.join(home, "newest/bin/open-webui");
  if (!existsSync(program)) return "Open WebUI is not installed: npm run test:open-webui -- --install";
  const free = await port();
  const url = `http://127.0.0.1:${free}`;
  const folder = path.join(directory, "open-webui");
  mkdirSync(folder);
  const variables = {
    ...OFFLINE,
    DATA_DIR: path.join(folder, "data"),
    STATIC_DIR: path.join(folder, "static"),
    ENABLE_TOOL_PERMISSIONS: "true",
    PYTHONPATH: path.join(import.meta.dirname, "python"),
    PYTHONDONTWRITEBYTECODE: "1",
  };
  const set = Object.entries(variables).map(([name, value]) => `${name}=${shellLine([value])}`);
  const serve = shellLine([program, "serve", "--host", "127.0.0.1", "--port", String(free)]);
  return {
    name: "Open WebUI (its own tools)",
    versions: `open-webui ${versionOf(program)}`,
    setUp:
      "One user, SQLite, the kit's tools as an Open WebUI tool with native function calling, tool permissions turned on, and the detection of reasoning tags turned off. The client reads its Socket.IO events as the page does.",
    url: `${url}/health`,
    command: `cd ${shellLine([folder])} && ${set.join(" ")} OPENAI_API_BASE_URLS="$TORTURE_URL/v1" exec ${serve}`,
    driver: openWebUi(url, async () => {
      const account = await signIn(url);
      const content = readFileSync(path.join(import.meta.dirname, "open-webui/tools.py"), "utf8");
      const form = { id: "kit", name: "kit", content, meta: { description: "The kit's tools." }, access_grants: [] };
      await account.request("POST", "/api/v1/tools/create", form);
      await account.setModel("scripted", { mode: "native" });
      return account.token;
    }),
  };
};

const versionOf = (program: string): string => {
  const text = readFileSync(program, "utf8");
  const python = /^#!(.*)$/m.exec(text)?.[1] ?? "python3";
  return execFileSync(python, ["-c", "import importlib.metadata as m; print(m.version('open-webui'))"], {
    encoding: "utf8",
  }).trim();
};
