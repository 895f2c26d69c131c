import path from "node:path";
import type { Use } from "./stories.ts";

export interface ToolUse {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** The model's id for it. By default, a new one. */
  readonly id?: string;
}

type Kit = Readonly<{ [Tool in Use["tool"]]: (use: Extract<Use, { tool: Tool }>, file: string) => ToolUse }>;
const use = (name: string, input: ToolUse["input"]): ToolUse => ({ name, input });

/** How each agent's tools are called, keyed by a tool that only this agent has. */
const kits: Readonly<Record<string, Kit>> = {
  // Gemini CLI
  replace: {
    read: (_, file_path) => use("read_file", { file_path }),
    edit: ({ from, to }, file_path) =>
      use("replace", { file_path, instruction: "Change a word", old_string: from, new_string: to }),
    shell: ({ command }) => use("run_shell_command", { command, description: "Run it" }),
    plan: ({ todos }) =>
      use("write_todos", { todos: todos.map(({ text, status }) => ({ description: text, status })) }),
  },
  // Kimi Code
  TodoList: {
    read: (_, file) => use("Read", { path: file }),
    edit: ({ from, to }, file) => use("Edit", { path: file, old_string: from, new_string: to }),
    shell: ({ command }) => use("Bash", { command, description: "Run it" }),
    plan: ({ todos }) =>
      use("TodoList", {
        todos: todos.map(({ text, status }) => ({ title: text, status: status === "completed" ? "done" : status })),
      }),
  },
  // opencode
  todowrite: {
    read: (_, filePath) => use("read", { filePath }),
    edit: ({ from, to }, filePath) => use("edit", { filePath, oldString: from, newString: to }),
    shell: ({ command }) => use("bash", { command, description: "Run it" }),
    plan: ({ todos }) =>
      use("todowrite", {
        todos: todos.map(({ text, status }, index) => ({ id: `${index}`, content: text, status, priority: "medium" })),
      }),
  },
  // Codex
  exec_command: {
    read: ({ file }) => use("exec_command", { cmd: `cat ${file}` }),
    edit: ({ file, from, to }) =>
      use("exec_command", {
        cmd: `apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: ${file}\n@@\n-${from}\n+${to}\n*** End Patch\nEOF`,
      }),
    shell: ({ command }) => use("exec_command", { cmd: command }),
    plan: ({ todos }) => use("update_plan", { plan: todos.map(({ text, status }) => ({ step: text, status })) }),
  },
  // Claude Code
  Bash: {
    read: (_, file_path) => use("Read", { file_path }),
    edit: ({ from, to }, file_path) => use("Edit", { file_path, old_string: from, new_string: to }),
    shell: ({ command }) => use("Bash", { command, description: "Run it" }),
    plan: ({ todos }) =>
      use("TodoWrite", { todos: todos.map(({ text, status }) => ({ content: text, status, activeForm: text })) }),
  },
};

/** Converts the use to the tools of the agent that offers these. */
export const toolUse = (wanted: Use, offered: readonly string[], folder: string): ToolUse => {
  const kit = Object.entries(kits).find(([name]) => offered.includes(name))?.[1];
  if (!kit) throw new Error(`no known agent has just these tools: ${offered.join(", ")}`);
  const make = kit[wanted.tool] as (use: Use, file: string) => ToolUse;
  return make(wanted, "file" in wanted ? path.join(folder, wanted.file) : "");
};
