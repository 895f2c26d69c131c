import type { CallToolResult, Client, ReadResourceResult, Tool } from "@modelcontextprotocol/client";
import type { ToolContext } from "../../tool.ts";
import { messageOf } from "../../message-of.ts";

/** MCP Apps: pages that a server offers for the results of its tools. */
export const APPS = {
  "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] },
};

type Resource = ReadResourceResult["contents"][number];
interface UiMeta {
  readonly resourceUri?: string;
  readonly visibility?: readonly string[];
  readonly csp?: Readonly<Record<string, readonly string[]>>;
}

export const isApp = ({ uri, mimeType = "" }: Pick<Resource, "uri" | "mimeType">): boolean =>
  uri.startsWith("ui://") && /^text\/html\b/.test(mimeType);

/** Tools that only a page may call are not offered to the model. */
export const isForModels = ({ _meta }: Tool): boolean => uiOf(_meta).visibility?.includes("model") ?? true;

/** Shows the page of a tool, if it has one. A page that cannot be read only causes a notice, because the result is available. */
export const showApp = async (
  client: Client,
  { _meta, name, title }: Tool,
  result: CallToolResult,
  context: ToolContext,
): Promise<void> => {
  const old = _meta?.["ui/resourceUri"];
  const uri = uiOf(result._meta).resourceUri ?? uiOf(_meta).resourceUri ?? (typeof old === "string" ? old : undefined);
  if (!uri?.startsWith("ui://")) return;
  try {
    const { contents } = await client.readResource({ uri }, { signal: context.signal });
    const page = contents.find(isApp);
    if (page) embedApp(page, title ?? name, context);
  } catch (error) {
    if (!context.signal.aborted)
      context.notify(`The page of ${name} could not be read: ${messageOf(error)}`, "warning");
  }
};

export const embedApp = (page: Resource, title: string | undefined, context: ToolContext): void => {
  const html = "text" in page ? page.text : Buffer.from(page.blob, "base64").toString();
  const origins = [...new Set(Object.values(uiOf(page._meta).csp ?? {}).flat())];
  context.embed({ html, ...(title !== undefined && { title }), ...(origins.length > 0 && { origins }) });
};

const uiOf = (meta: Readonly<Record<string, unknown>> | undefined): UiMeta => (meta?.["ui"] ?? {}) as UiMeta;
