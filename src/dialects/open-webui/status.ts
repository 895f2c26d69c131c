import type { Frame } from "../../dialect.ts";
import type { Table } from "./compatibility.ts";
import { eventFrame } from "./side-events.ts";
import { oneLine } from "./text.ts";
import { createStatusLine } from "../frames/status-line.ts";

/** The line above the message: the latest activity that is still live. Open WebUI stores each line, so none is sent twice. */
export interface Status {
  /** `often`: one of many updates, some of which may be dropped. */
  set(owner: string, text: string, at: number, often?: boolean): readonly Frame[];
  end(owner: string, at: number): readonly Frame[];
  /** Shows this text until the next change. */
  pass(text: string): readonly Frame[];
  /** Shows the final status. */
  finish(text: string): readonly Frame[];
  /** Shows that the run has started, after `debug` if it is set. */
  start(debug?: string): readonly Frame[];
}

const IDLE = "Thinking...";
const OFTEN_MS = 1000;

/**
 * `endsWithoutUs`: a client that stops the run receives nothing more from us and keeps the last line. Then no line may
 * be marked as in progress, because it would shimmer forever.
 */
export const createStatus = (table: Table, { endsWithoutUs }: { readonly endsWithoutUs: boolean }): Status => {
  const line = createStatusLine(IDLE);
  let lastAt = Number.NEGATIVE_INFINITY;

  const say = (text: string | undefined, isLast = false): readonly Frame[] => {
    if (text === undefined || !table.shows("status")) return [];
    const done = isLast || !endsWithoutUs ? { done: isLast } : {};
    return [eventFrame("status", { description: oneLine(text), ...done })];
  };

  return {
    start: (debug) => [...say(debug), ...say(IDLE)],
    set(owner, text, at, often = false) {
      if (often && at - lastAt < OFTEN_MS) return [];
      const frames = say(line.set(owner, text));
      if (frames.length > 0) lastAt = at;
      return frames;
    },
    end(owner, at) {
      const frames = say(line.end(owner));
      if (frames.length > 0) lastAt = at;
      return frames;
    },
    pass(text) {
      line.pass(text);
      return say(text, true);
    },
    finish: (text) => say(text, true),
  };
};
