// The server of `npm run bench:board`, in a separate process. Arguments: the log, the number of runs, and how many of
// them are in progress.
import { native } from "../../src/dialects/native.ts";
import { page as builtPage } from "../../src/page.ts";
import { createServer } from "../../src/server.ts";
import { answer } from "../pinned.ts";
import { boardLogs } from "./board-logs.ts";
import { busySource, fillLog } from "./board-runs.ts";

export interface BoardAnswers {
  /** When all ended runs are stored. */
  readonly begin: { readonly url: string };
}

const LIFE_MS = 120_000;
/** How much each run has written when the board opens. */
const WORDS = 2000;
const [name = "", runs = "", live = ""] = process.argv.slice(2);

answer<{ readonly do: keyof BoardAnswers }>(async () => {
  const log = await boardLogs[name]!(Number(runs));
  await fillLog(log, Number(runs) - Number(live));
  const page = builtPage();
  const server = createServer({
    agents: { writer: busySource(LIFE_MS, WORDS), reader: busySource(LIFE_MS, WORDS) },
    log,
    dialects: [native],
    limits: { startsPerMinute: 100_000 },
    ...(page && { page }),
  });
  return await server.listen();
});
