import { mkdtempSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Tool, Toolkit } from "../../src/tool.ts";
import { files } from "../../src/tools/files.ts";
import { http } from "../../src/tools/http.ts";
import { shell } from "../../src/tools/shell.ts";
import { todos } from "../../src/tools/todos.ts";
import { onStop } from "../serving.ts";
import { everything, toolkit } from "../tools/mcp-servers.ts";

interface ToolCall {
  readonly tool: string;
  readonly input: unknown;
}

export interface ToolVariant {
  readonly tools: readonly Tool[] | Toolkit;
  /** A call that returns a result. */
  readonly works: ToolCall;
  /** A call that fails: it throws, or its result is an error. */
  readonly fails: ToolCall;
  /** A call that runs until it is stopped. */
  readonly stays?: ToolCall;
}

/** Their calls end immediately, so there is nothing to stop. */
export const INSTANT: readonly string[] = ["files", "todos"];

/** Every file of src/tools, by name. */
export const toolVariants: Readonly<Record<string, () => ToolVariant | Promise<ToolVariant>>> = {
  files: () => ({
    tools: files({ workspace: folder() }),
    works: { tool: "read_file", input: { path: "a.txt" } },
    fails: { tool: "read_file", input: { path: "../outside.txt" } },
  }),
  http: async () => {
    const address = await serve();
    return {
      tools: [http({ allowPrivate: [address] })],
      works: { tool: "fetch_url", input: { url: `http://${address}/answers` } },
      fails: { tool: "fetch_url", input: { url: "http://127.0.0.1:9/refused" } },
      stays: { tool: "fetch_url", input: { url: `http://${address}/stays` } },
    };
  },
  mcp: () => ({
    tools: toolkit({ servers: { every: everything() } }),
    works: { tool: "every__echo", input: { message: "hello" } },
    fails: { tool: "every__echo", input: { message: 7 } },
    stays: { tool: "every__trigger-long-running-operation", input: { duration: 600, steps: 2 } },
  }),
  shell: () => ({
    tools: [shell({ enabled: true, workspace: folder() })],
    works: { tool: "run_command", input: { command: "echo", args: ["hello"] } },
    fails: { tool: "run_command", input: { command: "no-such-program" } },
    stays: { tool: "run_command", input: { command: "sleep", args: ["600"] } },
  }),
  todos: () => ({
    tools: [todos()],
    works: { tool: "write_todos", input: { todos: [{ id: "1", text: "Test it", status: "active" }] } },
    fails: { tool: "write_todos", input: { todos: [{ id: "1", text: "Test it", status: "someday" }] } },
  }),
};

const folder = (): string => {
  const made = mkdtempSync(path.join(tmpdir(), "runcast-tool-"));
  writeFileSync(path.join(made, "a.txt"), "hello");
  return made;
};

/** Responds on one path, and never on any other. */
const serve = async (): Promise<string> => {
  const server = createServer((request, response) => {
    if (request.url === "/answers") response.end("hello");
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onStop(() => {
    server.closeAllConnections();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
};
