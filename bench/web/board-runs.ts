import type { Entry, Event } from "../../src/events.ts";
import type { Log } from "../../src/log.ts";
import type { Source } from "../../src/source.ts";

const OUTCOMES = ["done", "done", "done", "error", "cancelled"] as const;
const AGENTS = ["writer", "reader", "checker"];

/** How many runs are stored concurrently. */
const AT_ONCE = 100;

/** Writes runs that have ended, the last of them just now, directly to the log. */
export const fillLog = async (log: Log, count: number): Promise<void> => {
  const now = Date.now();
  const storing: (void | Promise<void>)[] = [];
  for (let index = 0; index < count; index++) {
    const run = `past-${index}`;
    const at = now - (count - index) * 1000;
    const text = `Run ${index}: look into the numbers of week ${index % 52} and say what changed`;
    const outcome = OUTCOMES[index % OUTCOMES.length]!;
    const events: Event[] = [
      {
        type: "run-start",
        run,
        protocol: 2,
        name: AGENTS[index % AGENTS.length]!,
        user: { id: `user-${index % 50}`, name: `User ${index % 50}` },
        message: { role: "user", content: [{ type: "text", text }] },
      },
      {
        type: "run-end",
        outcome,
        usage: { input: 1000 + index, output: 200 },
        ...(outcome === "error" && { error: { code: "quota", message: "the model's quota is used up" } }),
      },
    ];
    storing.push(
      log.append(
        run,
        events.map((event, place): Entry => ({ seq: place + 1, at: at + place * 700, event })),
      ),
    );
    if (storing.length === AT_ONCE) await Promise.all(storing.splice(0));
  }
  await Promise.all(storing);
};

/**
 * Writes `before` words at once, like a run that has been in progress for a long time, then twenty words a second and
 * something for the list every few seconds. Every tenth run asks. Each ends after about `lifeMs`.
 */
export const busySource = (lifeMs: number, before: number): Source =>
  async function* ({ messages }, { answerTo, signal }) {
    const [part] = messages.at(-1)!.content;
    const number = Number(part?.type === "text" ? (/\d+/.exec(part.text)?.[0] ?? 0) : 0);
    const sleep = (ms: number) =>
      new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        signal.addEventListener("abort", () => {
          clearTimeout(timer);
          resolve();
        });
      });
    const ends = Date.now() + lifeMs * (0.5 + (number % 97) / 97);
    yield { type: "step-start", step: "past" };
    yield { type: "text-start", part: "past" };
    for (let word = 0; word < before; word++) yield { type: "text-delta", part: "past", delta: "word " };
    yield { type: "text-end", part: "past" };
    yield { type: "step-end", step: "past", finish: "stop", usage: { input: 500, output: before } };
    for (let step = 0; Date.now() < ends && !signal.aborted; step++) {
      yield { type: "step-start", step: `s${step}` };
      yield { type: "status", text: `Step ${step} of many` };
      yield { type: "text-start", part: `p${step}` };
      for (let word = 0; word < 100 && !signal.aborted; word++) {
        yield { type: "text-delta", part: `p${step}`, delta: "word " };
        await sleep(50);
      }
      yield { type: "text-end", part: `p${step}` };
      yield { type: "step-end", step: `s${step}`, finish: "stop", usage: { input: 500, output: 100 } };
      if (number % 10 !== 0 || signal.aborted) continue;
      const ask = `a${step}`;
      yield {
        type: "ask-start",
        ask,
        kind: "confirmation",
        title: `Go on with step ${step + 1}?`,
        expires: Date.now() + 5000,
      };
      await answerTo(ask);
    }
  };
