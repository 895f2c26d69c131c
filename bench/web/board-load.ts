// The clients of `npm run bench:board` that start runs, in a separate process. Arguments: the server's address, and how
// many runs must be in progress.
import { answer } from "../pinned.ts";

export interface LoadAnswers {
  /** When all of them are in progress. */
  readonly begin: true;
  /** How many runs have started since. */
  readonly started: number;
}

const [url = "", live = ""] = process.argv.slice(2);
const LOOK_MS = 1000;
let started = 0;

answer<{ readonly do: keyof LoadAnswers }>(async (order) => {
  if (order.do === "started") return started - Number(live);
  await fill();
  setInterval(() => void fill().catch(() => {}), LOOK_MS);
  return true;
});

/** Starts runs until this many are in progress. */
async function fill(): Promise<void> {
  const response = await fetch(`${url}/runs?open=1&limit=500`);
  const open = ((await response.json()) as { runs: unknown[] }).runs.length;
  for (let missing = Number(live) - open; missing > 0; missing--) {
    const agent = started % 2 === 0 ? "writer" : "reader";
    const body = JSON.stringify({ message: `Live run ${started++}`, agent });
    const headers = { "content-type": "application/json", accept: "application/json" };
    const { status } = await fetch(`${url}/runs`, { method: "POST", headers, body });
    if (status !== 202) throw new Error(`a run did not start: ${status}`);
  }
}
