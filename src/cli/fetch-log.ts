import { askServer } from "./ask-server.ts";
import type { RunAddress } from "./target.ts";

/** A run's log as a server has it, one entry a line, or as a page. */
export const fetchLog = (
  target: RunAddress,
  key: string | undefined,
  format: "jsonl" | "html" = "jsonl",
): Promise<Response> => askServer(target, `/runs/${encodeURIComponent(target.run ?? "")}/export.${format}`, { key });
