import type { Event } from "../src/events.ts";
import type { Log } from "../src/log.ts";

export interface StoredRun {
  readonly run: string;
  readonly thread: string;
  readonly user: string;
  readonly message: string;
  readonly answer?: string;
  readonly at?: number;
}

/** Writes a finished run to a log, without a server. */
export const storeRun = async (log: Log, { run, thread, user, message, answer = "", at = 1 }: StoredRun) => {
  const asked = { role: "user" as const, content: [{ type: "text" as const, text: message }] };
  const events: Event[] = [
    { type: "run-start", protocol: 2, run, thread, name: "demo", user: { id: user }, message: asked },
    { type: "step-start", step: "s" },
    { type: "text-start", part: "p" },
    { type: "text-delta", part: "p", delta: answer },
    { type: "text-end", part: "p" },
    { type: "step-end", step: "s", finish: "stop" },
    { type: "run-end", outcome: "done", answer: ["p"] },
  ];
  const entries = events.map((event, index) => ({ seq: index + 1, at, event }));
  await log.append(run, entries);
};
