import { didYouMean } from "../did-you-mean.ts";
import type { Frame } from "../dialect.ts";
import { type Event, EVENT_TYPES } from "../events.ts";
import { messageOf } from "../message-of.ts";
import { PROTOCOL } from "../protocol.ts";
import { createFrameReader } from "../sse.ts";
import { counted } from "../view.ts";
import { createVerifier, eventProblem } from "../verify.ts";
import { isHeartbeat, writeCommand } from "../wire.ts";
import { oneLine } from "./terminal-text.ts";

export interface Verdict {
  readonly ok: boolean;
  readonly message: string;
}

const SILENCE_MS = 60_000;
const START: Event = { type: "run-start", protocol: PROTOCOL, run: "check", name: "agent" };

/** Sends a request to an agent written in any language, as Runcast would, and explains the first problem in its response. */
export const checkAgent = async (
  url: string,
  message: string,
  headers: Readonly<Record<string, string>>,
): Promise<Verdict> => {
  const base = url.replace(/\/+$/, "").replace(/\/runs$/, "");
  const address = `${base}/runs`;
  const bad = (what: string, hint = ""): Verdict => ({
    ok: false,
    message: oneLine(`${address}: ${what}${hint && ` (${hint})`}`),
  });
  const stop = new AbortController();
  const silence = setTimeout(() => stop.abort(new Error(`silent for ${SILENCE_MS / 1000} s`)), SILENCE_MS);
  try {
    const content = [{ type: "text" as const, text: message }];
    const request = { run: `check-${crypto.randomUUID()}`, messages: [{ role: "user" as const, content }] };
    const start = writeCommand({ do: "start", request });
    const response = await fetch(base + start.path, {
      method: start.method,
      headers: { ...start.headers, ...headers },
      body: start.body ?? null,
      redirect: "manual",
      signal: stop.signal,
    });
    if (response.status !== 200) {
      const answer = (await response.text()).slice(0, 200);
      return bad(`POST returned ${response.status}${answer && `: ${answer}`}`, "respond with 200 and a stream");
    }
    const type = response.headers.get("content-type") ?? "none";
    if (!type.startsWith("text/event-stream")) return bad(`the content type is ${type}`, "send text/event-stream");
    const answer = createAnswer();
    const reader = createFrameReader((frame) => answer.take(frame));
    for await (const bytes of response.body ?? []) {
      silence.refresh();
      reader.push(bytes);
      if (answer.problem !== undefined) return bad(answer.problem);
      if (answer.isOver) break;
    }
    if (answer.problem !== undefined) return bad(answer.problem);
    if (answer.count === 0)
      return bad("the stream has no events", "send each as a line `data: {…}` followed by an empty line");
    if (!answer.isOver)
      return bad(
        `the stream ends after ${counted(answer.count, "event")} without a run-end`,
        'send {"type":"run-end","outcome":"done"} last; without it, a cut-off answer looks complete',
      );
    return { ok: true, message: `ok: ${answer.summary()}` };
  } catch (error) {
    const { cause } = error as Error;
    return bad(
      `no response: ${messageOf(cause instanceof Error && cause.message ? cause : error)}`,
      "is the agent running?",
    );
  } finally {
    clearTimeout(silence);
    stop.abort();
  }
};

/** Tracks the events an agent has sent, and the first problem in them. */
const createAnswer = () => {
  const verifier = createVerifier();
  const counts = new Map<string, number>();
  let count = 0;
  let problem: string | undefined;
  return {
    take(frame: Frame): void {
      if (problem !== undefined || verifier.ended || isHeartbeat(frame)) return;
      count++;
      const wrong = check(frame.data);
      if (wrong !== undefined) problem = `event ${count}: ${wrong}`;
    },
    get problem() {
      return problem;
    },
    get isOver() {
      return verifier.ended;
    },
    get count() {
      return count;
    },
    summary: () =>
      [
        counted(count, "event"),
        counted(counts.get("step-start") ?? 0, "step"),
        counted(counts.get("tool-start") ?? 0, "call"),
      ].join(", "),
  };

  function check(data: string): string | undefined {
    let event: Event;
    try {
      const { at: _, ...fields } = JSON.parse(data) as Event & { at?: number };
      event = fields;
    } catch (error) {
      return `its data is not JSON: ${messageOf(error)}`;
    }
    const types: readonly string[] = EVENT_TYPES;
    if (typeof event.type === "string" && !types.includes(event.type))
      return `there is no event type ${JSON.stringify(event.type)}${didYouMean(event.type, types)}`;
    const wrong = eventProblem(event);
    if (wrong !== undefined) return wrong;
    // Runcast emits `run-start` itself if the agent does not.
    if (!verifier.started && event.type !== "run-start") verifier.check(START);
    counts.set(event.type, (counts.get(event.type) ?? 0) + 1);
    return verifier.check(event);
  }
};
