import type { ServerFacts } from "../dialect.ts";

/** How a server checks an MCP server that a client wants to name. What it takes is loaded when it is first asked for. */
export const validateServer =
  (allowPrivate: readonly string[] = []): NonNullable<ServerFacts["validateServer"]> =>
  async (server) => {
    const { mcpToolsOf } = await import("../tools/mcp.ts");
    return await mcpToolsOf(server, { allowPrivate });
  };
