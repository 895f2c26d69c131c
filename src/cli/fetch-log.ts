import { askServer } from "./ask-server.ts";
import type { RunAddress } from "./target.ts";

/** Fetches a run's log from a server, as one entry per line or as a page. */
export const fetchLog = (
  target: RunAddress,
  key: string | undefined,
  format: "jsonl" | "html" = "jsonl",
): Promise<Response> => askServer(target, `/runs/${encodeURIComponent(target.run ?? "")}/export.${format}`, { key });
