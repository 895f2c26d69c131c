import type { ServerFacts } from "../dialect.ts";

/** How a server checks an MCP server that a client wants to use. Its dependencies are loaded on first use. */
export const validateServer =
  (allowPrivate: readonly string[] = []): NonNullable<ServerFacts["validateServer"]> =>
  async (server) => {
    const { mcpToolsOf } = await import("../tools/mcp.ts");
    return await mcpToolsOf(server, { allowPrivate });
  };
