import type { CallToolResult, ContentBlock, EmbeddedResource } from "@modelcontextprotocol/client";
import type { Content, Json } from "../../events.ts";
import { type ToolContext, type ToolResult, toolResult } from "../../tool.ts";
import { embedApp, isApp } from "./show-app.ts";

/** Converts a server's result: stores bytes alongside the log, embeds pages, and returns the rest as content. */
export const resultOf = async (
  { content, structuredContent, isError }: CallToolResult,
  context: ToolContext,
): Promise<ToolResult> => {
  const parts = (await Promise.all((content ?? []).map((block) => partOf(block, context)))).filter(
    (part) => part !== undefined,
  );
  const value = structuredContent as Json | undefined;
  if (parts.length === 0 && value !== undefined) parts.push({ type: "json", value });
  return toolResult(parts, { ...(value !== undefined && { value }), isError: isError ?? false });
};

const partOf = async (block: ContentBlock, context: ToolContext): Promise<Content | undefined> => {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text };
    case "image":
    case "audio":
      return kept(block.data, { mediaType: block.mimeType }, context);
    case "resource_link": {
      const { uri, name, title = name, mimeType } = block;
      return { type: "link", url: uri, title, ...(mimeType !== undefined && { mediaType: mimeType }) };
    }
    case "resource":
      return resourcePart(block.resource, context);
    default:
      return { type: "json", value: block as Json };
  }
};

const resourcePart = async (
  resource: EmbeddedResource["resource"],
  context: ToolContext,
): Promise<Content | undefined> => {
  if (isApp(resource)) return void embedApp(resource, undefined, context);
  if ("text" in resource) return { type: "text", text: resource.text };
  const name = resource.uri.split("/").at(-1);
  return kept(
    resource.blob,
    { mediaType: resource.mimeType ?? "application/octet-stream", ...(name && { name }) },
    context,
  );
};

const kept = async (
  base64: string,
  file: { mediaType: string; name?: string },
  context: ToolContext,
): Promise<Content> => ({ type: "file", ...(await context.put(Buffer.from(base64, "base64"), file)) });
