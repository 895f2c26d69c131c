import type { Mutant } from "./broken-promises.ts";

/** Promises about users, secrets and hostile servers. */
export const guards: readonly Mutant[] = [
  {
    breaks: "a run belongs to its user: any key may use any run",
    file: "src/access.ts",
    edits: [["return run === undefined || (run.user !== undefined && run.user === user);", "return true;"]],
    tests: ["test/rights.test.ts"],
  },
  {
    breaks: "a redacted secret is never stored: the beginning of a secret that arrives in pieces is stored",
    file: "src/redaction/scanner.ts",
    edits: [["return this.#emit(open);", "return this.#emit(open < 0 ? open : this.#position);"]],
    tests: ["test/redaction.test.ts"],
  },
  {
    breaks: "a run stores at most its limit: its files do not count",
    file: "src/runner/intake.ts",
    edits: [["if (this.writer.bytes + bytes > this.#maxBytes) throw", "if (bytes > this.#maxBytes) throw"]],
    tests: ["test/ceilings.test.ts"],
  },
  {
    breaks: "viewers take turns: one viewer's turn has no limit",
    file: "src/server/turns.ts",
    edits: [["const TURN_MS = 8;", "const TURN_MS = 1e9;"]],
    tests: ["test/turns.test.ts"],
  },
  {
    breaks: "Markdown has no harmful links: every URL becomes a link",
    file: "src/markdown/safe-url.ts",
    edits: [["if (!/^(?:https?:\\/\\/|mailto:)/i.test(url) || url.length > 8192)", "if (url.length > 8192)"]],
    tests: ["test/web/hostile-markdown.test.ts"],
  },
  {
    breaks: "a hostile MCP server can ask only a few times: it asks without limit",
    file: "src/tools/mcp/call-bounds.ts",
    edits: [["return asks <= MAX_ASKS;", "return asks > 0;"]],
    tests: ["test/slow/mcp-hostile.test.ts"],
    named: "can ask only a few times in one call, which is abandoned if it continues: HTTP",
  },
  {
    breaks: "a hostile MCP server cannot fill the memory: its whole result is read",
    file: "src/tools/mcp/bounded-body.ts",
    edits: [["if (held <= maxBytes) return", "if (held <= maxBytes || maxBytes > 0) return"]],
    tests: ["test/slow/mcp-hostile.test.ts"],
    named: "cannot fill the memory with one result: HTTP",
  },
  {
    breaks: "a hostile MCP server cannot flood a run: all its progress is stored",
    file: "src/tools/mcp/call-bounds.ts",
    edits: [["if (shown < FREE_PROGRESS || wait <= 0) show();", "if (shown >= 0 || wait <= 0) show();"]],
    tests: ["test/slow/mcp-hostile.test.ts"],
    named: "cannot flood a run: progress by HTTP",
  },
];
