import type { ElicitRequestParams, ElicitRequestURLParams, ElicitResult } from "@modelcontextprotocol/client";
import type { Json } from "../../events.ts";
import type { ToolContext } from "../../tool.ts";

/** Forwards a server's question to the user, as an ask of the current call. */
export const elicit = async (
  server: string,
  params: ElicitRequestParams,
  context: ToolContext,
): Promise<ElicitResult> => {
  if (params.mode === "url") return visit(server, params, context);
  const { message, requestedSchema } = params;
  const value = await context.ask({ title: `${server} asks`, message, schema: requestedSchema as unknown as Json });
  if (value === undefined) return { action: "cancel" };
  const content = contentOf(value, Object.keys(requestedSchema.properties));
  return content ? { action: "accept", content } : { action: "decline" };
};

const visit = async (
  server: string,
  { message, url }: ElicitRequestURLParams,
  context: ToolContext,
): Promise<ElicitResult> => {
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? "")) return { action: "decline" };
  const done = await context.ask({
    title: `${server} asks you to open a link`,
    message: `${message}\n\n${url}`,
    value: url,
    options: [
      { value: "accept", label: "I have opened it" },
      { value: "decline", label: "No" },
    ],
  });
  if (done === undefined) return { action: "cancel" };
  return { action: done === "accept" ? "accept" : "decline" };
};

/** The values of a form. A form with one field may be answered with the bare value. */
const contentOf = (value: Json, fields: readonly string[]): ElicitResult["content"] => {
  if (value === null) return undefined;
  if (typeof value === "object" && !Array.isArray(value)) return value as ElicitResult["content"];
  return fields.length === 1 ? ({ [fields[0]!]: value } as ElicitResult["content"]) : undefined;
};
