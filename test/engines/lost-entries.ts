import { expect, vi } from "vitest";
import { createClient } from "../../src/client.ts";
import type { Entry, Event } from "../../src/events.ts";
import type { Log } from "../../src/log.ts";
import { PROTOCOL } from "../../src/protocol.ts";
import { waiting } from "../running.ts";
import { serve, silent } from "../serving.ts";

const OLD: readonly Entry[] = [
  { seq: 1, at: 1000, event: { type: "run-start", protocol: PROTOCOL, run: "a", name: "test" } },
  { seq: 2, at: 1001, event: { type: "step-start", step: "s" } },
  { seq: 3, at: 1002, event: { type: "text-start", part: "p" } },
  { seq: 4, at: 1003, event: { type: "text-delta", part: "p", delta: "old" } },
  { seq: 5, at: 1004, event: { type: "text-delta", part: "p", delta: " text" } },
];
const NEW: readonly Event[] = [
  { type: "step-start", step: "s2" },
  { type: "text-start", part: "p2" },
  { type: "text-delta", part: "p2", delta: "new" },
  { type: "text-delta", part: "p2", delta: " text" },
  { type: "text-end", part: "p2" },
];

export interface LossyEngine {
  open(): Promise<Log>;
  /** Called after the first entries of run `a`. */
  remember(): Promise<void>;
  /** Makes the engine forget all entries since then, as a replica that had not received them and is now the primary. */
  forget(): Promise<void>;
}

/** A viewer has entries that the engine then loses, and another process writes the run on until it is longer than before. */
export const expectLossNoticed = async ({ open, remember, forget }: LossyEngine): Promise<void> => {
  const as = { owner: "ada", epoch: 1 };
  const log = await open();
  await log.heartbeat(as.owner, 60_000);
  await log.append("a", OLD.slice(0, 2), as);
  await remember();
  await log.append("a", OLD.slice(2), as);
  const first = await serve(silent, { log: await open() });
  let url: string | undefined = first.url;
  const client = createClient({
    url: "http://runcast",
    fetch: async (at, init) => {
      if (url === undefined) throw new Error("unreachable");
      return await fetch(at.replace("http://runcast", url), init);
    },
    backoff: () => 5,
  });
  const handle = client.follow("a");
  await vi.waitFor(() => expect(handle.state.seq).toBe(5), 20_000);
  url = undefined;
  await first.server.close();

  // Another process, which never saw the lost entries, continues the run.
  await forget();
  await log.heartbeat(as.owner, 0);
  const second = await serve(Object.assign(waiting([]), { resume: waiting(NEW) }), { log: await open() });
  await vi.waitFor(async () => expect((await log.info("a"))?.seq).toBeGreaterThan(7), 20_000);
  url = second.url;
  // It would otherwise show the beginning of one log with the end of another.
  await expect(handle.finished).rejects.toThrow();
  expect(handle.connection).toMatchObject({ status: "failed", problem: { code: "log-reset" } });
  expect(handle.state.seq).toBe(5);
  const again = client.follow("a");
  await vi.waitFor(() => expect(again.state.seq).toBeGreaterThan(7), 20_000);
  again.close();
  await second.server.close();
};
