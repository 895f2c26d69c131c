import type { RunRow } from "../protocol.ts";
import { describeRow, timeText } from "../view.ts";
import { askServer } from "./ask-server.ts";
import { columns } from "./columns.ts";
import { type CliCommand, UsageError } from "./command.ts";
import { LOCAL, serverAddress } from "./target.ts";

export const runs: CliCommand = {
  name: "runs",
  usage: "",
  positionals: [0, 0],
  summary: "Lists a server's runs, newest first.",
  details: [
    "Shows the state, user, message, duration, tokens and open questions of each run. A key lists its user's runs. A key with the admin right lists everyone's.",
    "Uses the server at --url, RUNCAST_URL or http://127.0.0.1:4400.",
  ].join("\n"),
  options: {
    open: { help: "only runs that have not ended" },
    waiting: { help: "only runs that are waiting for an answer" },
    limit: { value: "count", help: "the number of runs, up to 500 (default: 50)" },
    url: { value: "address", help: `the server (default: ${LOCAL})` },
    key: { value: "key", help: "the server's key (or RUNCAST_KEY)" },
  },
  run: async ({ options, environment }) => {
    const base = serverAddress(options["url"], environment);
    const key = options["key"] ?? environment["RUNCAST_KEY"];
    const limit = Number(options["limit"] ?? 50);
    if (!Number.isInteger(limit) || limit < 1 || limit > 500)
      throw new UsageError("--limit must be a whole number from 1 to 500");
    const isWaiting = options["waiting"] !== undefined;
    const state = isWaiting ? "waiting" : options["open"] !== undefined ? "open" : "";
    const rows: RunRow[] = [];
    let now = Date.now();
    for (let before: string | undefined = ""; before !== undefined && rows.length < limit;) {
      const query = new URLSearchParams({ details: "1", limit: `${limit - rows.length}`, state, before });
      const answer = await askServer({ base }, `/runs?${query}`, { key });
      now = Date.parse(answer.headers.get("date") ?? "") || Date.now();
      const page = (await answer.json()) as { readonly runs: readonly RunRow[]; readonly next?: string };
      rows.push(...page.runs);
      // The server examines a limited number of runs per request, so a page can be short, even empty.
      before = page.next;
    }
    for (const line of linesOf(rows, now)) process.stdout.write(`${line}\n`);
    if (rows.length === 0) process.stderr.write("runcast: no runs found\n");
    return 0;
  },
};

const linesOf = (rows: readonly RunRow[], now: number): string[] => {
  const cells = rows.map((row): string[] => {
    const { badge, who, agent, title, note, time, usage } = describeRow(row);
    const summary = note ? `${title} — ${note}` : title;
    return [row.run, badge.word, agent, who, timeText(time, now), usage, summary];
  });
  return columns(cells);
};
