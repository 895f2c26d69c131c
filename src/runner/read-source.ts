import { FEED, type QueueIterator } from "../event-queue.ts";
import type { Event, EventOf } from "../events.ts";
import type { RunContext } from "../source.ts";
import { eventProblem } from "../verify.ts";
import { received, type Intake } from "./intake.ts";
import { isLarge, spill } from "./spill.ts";
import { delay } from "./timer.ts";
import { sizeOf } from "./writer.ts";

/** Events to read before yielding to the event loop: a source that never waits must not starve other runs. */
const BURST = 256;

export interface Reading {
  readonly intake: Intake;
  readonly put: RunContext["put"];
  /** How long to wait for the name and model from the source. */
  readonly firstEventMs: number;
  /** Called with the source's own run-start, if that is its first event. No event is accepted before it resolves. */
  begin(start: EventOf<"run-start"> | undefined): Promise<void>;
  /** Called before an event other than a delta is accepted. The run may have to leave instead. */
  before(event: Event): unknown;
  /** Whether the run is over and accepts no more events. */
  isOver(): boolean;
}

/** Reads a source until it ends or the run does. Returns the run-end that the source yields, if any. */
export const readSource = async (
  iterator: AsyncIterator<Event>,
  { intake, put, firstEventMs, begin, before, isOver }: Reading,
): Promise<EventOf<"run-end"> | undefined> => {
  const pull = iterator.next();
  const first = await Promise.race([pull, delay(firstEventMs)]);
  await begin(first && !first.done ? startOf(first.value) : undefined);
  const failures: unknown[] = [];
  // Nearly all events are small deltas, which need no promise.
  (iterator as Partial<QueueIterator>)[FEED]?.((event) => {
    const isPlain = "delta" in event && !eventProblem(event) && !isLarge(event);
    if (!isPlain || isOver() || intake.writer.waiting >= BURST) return false;
    try {
      intake.take(event);
      return true;
    } catch (error) {
      failures.push(error);
      return false;
    }
  });
  for (let next = first ?? (await pull), taken = 1; !next.done && !isOver(); next = await iterator.next(), taken++) {
    if (failures.length > 0) throw failures[0];
    const event = received(next.value);
    if (!("delta" in event)) {
      before(event);
      if (isOver()) return undefined;
    }
    if (event.type === "run-end") {
      // Measure here, where a throw ends the run: closing the run repeats this event's error and must not throw.
      sizeOf(event);
      return intake.renamer.rename(event) as EventOf<"run-end">;
    }
    if (isLarge(event)) for (const small of await spill(event, put)) intake.take(small);
    else intake.take(event);
    if (taken % BURST === 0 || intake.writer.waiting > BURST) await pause(intake);
  }
  return undefined;
};

const startOf = (event: Event): EventOf<"run-start"> | undefined =>
  event?.type === "run-start" && eventProblem(event) === undefined ? event : undefined;

const pause = async ({ writer }: Intake): Promise<void> => {
  await new Promise((resolve) => setImmediate(resolve));
  if (writer.waiting >= BURST) await writer.flushed();
};
