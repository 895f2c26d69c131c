import type { Event } from "../../events.ts";
import { Refusal, type RunContext } from "../../source.ts";
import { framesOf } from "../upstream/frames.ts";
import { upstreamCut } from "../upstream/refusals.ts";
import type { Decoder } from "./decoder.ts";
import type { AgnoServer, AgnoTarget } from "./server.ts";

interface Following {
  readonly server: AgnoServer;
  readonly decoder: Decoder;
  readonly context: RunContext;
  readonly target: AgnoTarget;
  /** How many text deltas are already in the log. */
  readonly skip: number;
}

/** Gives up on a stream that repeatedly breaks off without new events. */
const MAX_EMPTY_STREAMS = 20;

/** Reads a run to its end, over as many streams as needed: one more after each broken connection and after each pause. */
export async function* follow(following: Following, first: Response | undefined): AsyncGenerator<Event> {
  const { server, decoder, context } = following;
  const skipped = skipping(following.skip);
  let response = first;
  for (let empty = 0; empty < MAX_EMPTY_STREAMS;) {
    const before = decoder.index;
    response ??= await server.resume(decoder.index);
    if (response) yield* read(response, following, skipped);
    if (context.signal.aborted || decoder.end) return;
    if (decoder.isPaused) {
      response = yield* answers(following);
      if (!response) return;
      empty = 0;
      continue;
    }
    if (!response || !server.isBackground)
      throw upstreamCut(`The connection to AgentOS was lost${server.isBackground ? " and could not be resumed" : ""}.`);
    response = undefined;
    empty = decoder.index > before ? 0 : empty + 1;
  }
  throw upstreamCut("The connection to AgentOS keeps breaking.");
}

async function* read(response: Response, { server, decoder, context }: Following, skip: Skip): AsyncGenerator<Event> {
  for await (const frame of framesOf(response, { signal: server.signal, isHolding: () => decoder.isHolding })) {
    if (context.signal.aborted) return;
    yield* skip(frame === undefined ? decoder.quiet() : decoder.frame(frame.data));
    for (const { base64, name, mediaType, call } of decoder.attachments.splice(0)) {
      const { file, bytes } = await context.put(Buffer.from(base64, "base64"), { mediaType, name });
      const event: Event = { type: "file", file, name, mediaType, bytes, ...(call && { call: call.id }) };
      yield call ? call.writer.own(event) : event;
    }
    if (decoder.end) return;
  }
}

/** Waits for all answers and sends them. Undefined if the run was stopped in the meantime. */
async function* answers(following: Following): AsyncGenerator<Event, Response | undefined> {
  const { server, decoder, context, target } = following;
  const { pause } = decoder;
  const steps = target.kind === "workflow" ? await server.stepRequirements() : [];
  yield* pause.askAboutSteps(steps);
  const waiting = new Map(
    pause.open.map((ask) => [ask, context.answerTo(ask).then((ended) => ({ ask, ...ended }))] as const),
  );
  if (waiting.size === 0)
    throw new Refusal("upstream-paused", "The run is waiting there for something that cannot be answered here.", {
      status: 502,
      hint: "answer it in AgentOS",
    });
  let isPartial = false;
  while (waiting.size > 0) {
    const { ask, outcome, answer } = await Promise.race(waiting.values());
    if (context.signal.aborted) return undefined;
    waiting.delete(ask);
    yield* pause.answered(ask, outcome === "answered" ? answer : undefined);
    const left = waiting.size;
    if (left > 0 || isPartial) yield { type: "status", text: left > 0 ? partial(left) : "" };
    isPartial = left > 0;
  }
  await context.stored();
  const [name, value] =
    target.kind === "agent"
      ? (["tools", pause.tools()] as const)
      : target.kind === "team"
        ? (["requirements", pause.requirements()] as const)
        : (["step_requirements", pause.steps(steps)] as const);
  decoder.continued();
  return await server.continue(name, value);
}

const partial = (left: number): string =>
  `Waiting for ${left} more ${left === 1 ? "answer" : "answers"}. They are sent together.`;

type Skip = (events: readonly Event[]) => readonly Event[];

/** Drops the first text deltas, and parts that contain nothing else. */
const skipping = (count: number): Skip => {
  let left = count;
  let start: Event | undefined;
  return (events) => {
    if (left === 0 && !start) return events;
    return events.flatMap((event) => {
      if (event.type === "text-start" || event.type === "thinking-start") {
        const earlier = start;
        start = event;
        return earlier ? [earlier] : [];
      }
      if (event.type === "text-delta" || event.type === "thinking-delta") {
        if (left > 0 && left-- > 0) return [];
      } else if (start && (event.type === "text-end" || event.type === "thinking-end")) {
        start = undefined;
        return [];
      }
      const held = start;
      start = undefined;
      return held ? [held, event] : [event];
    });
  };
};
