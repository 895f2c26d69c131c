// The root entry point: everything a configuration, an agent, or an embedding program needs. Each module also has its own subpath.
export { createClient } from "./client.ts";
export { defineConfig } from "./config.ts";
export type { Dialect } from "./dialect.ts";
export { native } from "./dialects/native.ts";
export type { Entry, Event, Message } from "./events.ts";
export type { Log } from "./log.ts";
export { memory } from "./logs/memory.ts";
export { sqlite } from "./logs/sqlite.ts";
export { demo, demoAgent } from "./models/demo.ts";
export { redactAgent } from "./redaction.ts";
export { createServer } from "./server.ts";
export { Refusal, type Source, describeAgent } from "./source.ts";
export { agent } from "./sources/agent.ts";
export { createState, fold } from "./state.ts";
export { type Tool, type ToolContext, defineTool, toolResult } from "./tool.ts";
export { verify } from "./verify.ts";
