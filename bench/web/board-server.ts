// The server of `npm run bench:board`, in a process of its own so that it does not disturb what is measured. Arguments: the
// number of runs, and how many of them are at work.
import { native } from "../../src/dialects/native.ts";
import { memory } from "../../src/logs/memory.ts";
import { page as builtPage } from "../../src/page.ts";
import { createServer } from "../../src/server.ts";
import { answer } from "../pinned.ts";
import { busySource, fillLog } from "./board-runs.ts";

export interface BoardAnswers {
  /** When all runs are there. */
  readonly begin: { readonly url: string };
  /** How many runs began since. */
  readonly begun: number;
}

const LIFE_MS = 120_000;
const [runs = 0, live = 0] = process.argv.slice(2).map(Number);
let begun = 0;

answer<{ readonly do: keyof BoardAnswers }>(async (order) => (order.do === "begin" ? await begin() : begun - live));

async function begin(): Promise<BoardAnswers["begin"]> {
  const log = memory({ maxRuns: runs });
  await fillLog(log, runs - live);
  const page = builtPage();
  const server = createServer({
    agents: { writer: busySource(LIFE_MS), reader: busySource(LIFE_MS) },
    log,
    dialects: [native],
    limits: { startsPerMinute: 100_000 },
    ...(page && { page }),
  });
  const { url } = await server.listen();
  await keepAtWork(url);
  return { url };
}

/** Starts runs until so many are at work, and another one whenever one ends. */
async function keepAtWork(url: string): Promise<void> {
  const start = async () => {
    const agent = begun % 2 === 0 ? "writer" : "reader";
    const body = JSON.stringify({ message: `Live run ${begun++}`, agent });
    const headers = { "content-type": "application/json", accept: "application/json" };
    await fetch(`${url}/runs`, { method: "POST", headers, body });
  };
  const fill = async () => {
    const open = ((await (await fetch(`${url}/runs?open=1&limit=500`)).json()) as { runs: unknown[] }).runs.length;
    for (let missing = live - open; missing > 0; missing--) await start();
  };
  await fill();
  setInterval(() => void fill().catch(() => {}), 1000);
}
