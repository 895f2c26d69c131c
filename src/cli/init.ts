import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { findConfigFile } from "../config.ts";
import { type CliCommand, CommandError } from "./command.ts";
import { ownCommand } from "./own-command.ts";
import { canSharePackages } from "./share-packages.ts";

export const init: CliCommand = {
  name: "init",
  usage: "",
  positionals: [0, 0],
  summary: "Writes runcast.config.ts with a model, a tool and an MCP server, and .env.example.",
  details: "Never overwrites a file: stops if there is a configuration, and keeps an existing .env.example.",
  options: {},
  run: async ({ directory }) => {
    const existing = findConfigFile(directory);
    if (existing !== undefined)
      throw new CommandError(`${path.basename(existing)} already exists; delete it to start over`);
    // The example has no types, so a Node.js that cannot load TypeScript can load it under another name.
    const name = process.features.typescript ? "runcast.config.ts" : "runcast.config.mjs";
    writeFileSync(path.join(directory, name), CONFIG, { flag: "wx" });
    const example = path.join(directory, ".env.example");
    const hasExample = existsSync(example);
    if (!hasExample) writeFileSync(example, ENVIRONMENT, { flag: "wx" });
    const isInstalled = import.meta.url.endsWith(".ts") || existsSync(path.join(directory, "node_modules/runcast"));
    const steps = [
      ...(isInstalled || canSharePackages() ? [] : ["npm install runcast zod"]),
      "cp .env.example .env                # then add your key",
      `${ownCommand("serve").padEnd(35)} # then open http://127.0.0.1:4400`,
    ];
    const types =
      isInstalled || !canSharePackages()
        ? []
        : ["", "For completions and type checks in your editor: npm install runcast zod"];
    const written = `wrote ${name}${hasExample ? "" : " and .env.example"}`;
    process.stdout.write([written, "", "Next:", ...steps.map((step) => `  ${step}`), ...types, ""].join("\n"));
    return 0;
  },
};

/** Joins lines into the text of a file. */
const lines = (...text: readonly string[]): string => `${text.join("\n")}\n`;

const CONFIG = lines(
  'import { agent, defineConfig, defineTool } from "runcast";',
  '// import { mcp } from "runcast/tools/mcp";',
  'import { z } from "zod";',
  "",
  "// A tool has a name, a description, an input schema and a function.",
  "const rollDice = defineTool({",
  '  name: "roll_dice",',
  '  description: "Rolls dice and returns each result.",',
  "  input: z.object({ count: z.number().int().min(1).max(10) }),",
  '  doing: "Rolling…",',
  '  // approval: "always",                // asks the user first',
  "  run: ({ count }) => Array.from({ length: count }, () => 1 + Math.floor(Math.random() * 6)),",
  "});",
  "",
  "export default defineConfig({",
  "  agents: {",
  "    assistant: agent({",
  "      // <provider>/<model>: openai, anthropic, google, ollama, openrouter, … Its key comes from .env.",
  '      model: process.env["RUNCAST_MODEL"] ?? "anthropic/claude-sonnet-4-5",',
  '      instructions: "You are a helpful assistant. Be brief.",',
  "      tools: [",
  "        rollDice,",
  "        // Tools from MCP servers: one that Runcast starts, and one with a URL.",
  "        // mcp({",
  "        //   servers: {",
  '        //     files: { command: "npx", args: ["-y", "@modelcontextprotocol/server-filesystem", "."] },',
  '        //     docs: { url: "https://example.com/mcp" },',
  "        //   },",
  "        // }),",
  "      ],",
  "    }),",
  "  },",
  "});",
);

const ENVIRONMENT = lines(
  "# Copy this file to .env and set your provider's key. Never commit .env.",
  "ANTHROPIC_API_KEY=",
  "# OPENAI_API_KEY=",
  "# GEMINI_API_KEY=",
  "# OPENROUTER_API_KEY=",
  "",
  "# To override the configuration's model:",
  "# RUNCAST_MODEL=openai/gpt-5",
  "# RUNCAST_MODEL=ollama/llama3",
  "# RUNCAST_MODEL=demo                 # scripted, needs no key",
);
