// A server with what the official ones lack: pages, logs, tools that come, odd schemas. By stdio.
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import {
  CallToolRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";

const server = new Server(
  { name: "fixture", version: "1" },
  { capabilities: { tools: { listChanged: true }, resources: {}, logging: {} } },
);
const empty = { type: "object" as const, properties: {} };
const page = (resourceUri: string) => ({ ui: { resourceUri } });
const tools = [
  { name: "log", inputSchema: empty },
  { name: "show", title: "Weather map", inputSchema: empty, _meta: page("ui://weather/map") },
  { name: "lost-page", inputSchema: empty, _meta: page("ui://weather/none") },
  { name: "only for pages", inputSchema: empty, _meta: { ui: { visibility: ["app"] } } },
  { name: "sound", inputSchema: empty },
  { name: "embedded", inputSchema: empty },
  { name: "sample", inputSchema: empty },
  { name: "grow", inputSchema: empty },
  { name: "steps", inputSchema: empty },
  { name: "read", inputSchema: empty, annotations: { readOnlyHint: true } },
  { name: "wipe", inputSchema: empty, annotations: { destructiveHint: true } },
  { name: "odd", inputSchema: { ...empty, dependentSchemas: { a: { required: ["b"] } } } },
  { name: "names/with.signs", inputSchema: empty },
  { name: "names.with/signs", inputSchema: empty },
  { name: `long-${"x".repeat(80)}`, inputSchema: empty },
];

server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));
server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }) => {
  if (uri !== "ui://weather/map") throw new Error(`There is no ${uri}`);
  const csp = { resourceDomains: ["https://tiles.example"], connectDomains: ["https://tiles.example"] };
  return {
    contents: [{ uri, mimeType: "text/html;profile=mcp-app", text: "<h1>Map</h1>", _meta: { ui: { csp } } }],
  };
});
server.setRequestHandler(CallToolRequestSchema, async ({ params: { name, arguments: input, _meta } }, extra) => {
  const text = (said: string) => ({ content: [{ type: "text" as const, text: said }] });
  switch (name) {
    case "log":
      for (const level of ["debug", "info", "warning", "error"] as const)
        await extra.sendNotification({
          method: "notifications/message",
          params: { level, logger: "sky", data: level === "error" ? { code: 7 } : `a ${level}` },
        });
      return text("logged");
    case "sound":
      return {
        content: [{ type: "audio" as const, mimeType: "audio/wav", data: Buffer.from("RIFF").toString("base64") }],
      };
    case "embedded":
      return {
        content: [
          { type: "text" as const, text: "see" },
          { type: "resource" as const, resource: { uri: "ui://inline", mimeType: "text/html", text: "<b>inline</b>" } },
        ],
        structuredContent: { a: 1 },
      };
    case "sample":
      try {
        await extra.sendRequest({ method: "sampling/createMessage", params: { messages: [], maxTokens: 1 } }, z.any());
        return text("sampled");
      } catch (error) {
        return { ...text((error as Error).message), isError: true };
      }
    case "grow":
      tools.push({ name: "grown", inputSchema: empty });
      await server.sendToolListChanged();
      return text("grew");
    case "steps":
      for (const progress of [1, 2])
        await extra.sendNotification({
          method: "notifications/progress",
          params: { progressToken: _meta!.progressToken!, progress, message: `step ${progress}` },
        });
      return text("stepped");
    default:
      return text(`${name} ${JSON.stringify(input)}`);
  }
});
await server.connect(new StdioServerTransport());
