import type { Entry } from "../events.ts";
import { type RunState, createState, fold } from "../state.ts";
import { createLogClock, describeRun } from "../view.ts";
import type { ViewOptions } from "./node-lines.ts";
import { createPlainText } from "./plain-text.ts";
import { type ConnectionState, footLines, headLines } from "./render.ts";
import { createScreen } from "./screen.ts";
import { createTranscript } from "./transcript.ts";

/** Shows one run in a terminal: as a live tree, or as lines in event order if the output cannot be redrawn. */
export interface Viewer {
  readonly state: RunState;
  add(entry: Entry): void;
  /** Sets how current the data is. While it is not live, nothing is animated. */
  know(known: ConnectionState): void;
  /** Draws the final state and stops. */
  end(): void;
}

export interface ViewerOptions {
  readonly output: NodeJS.WriteStream;
  readonly color: boolean;
  readonly howToAnswer?: ViewOptions["howToAnswer"];
  /** A state that the caller also folds into. Default: a new one. */
  readonly state?: RunState;
  /** Returns the time in milliseconds since 1970. Default: this machine's clock. */
  readonly clock?: () => number;
}

export const createViewer = (options: ViewerOptions): Viewer =>
  options.output.isTTY ? createLiveViewer(options) : createPlainViewer(options);

const createPlainViewer = ({ output, color, howToAnswer, state = createState() }: ViewerOptions): Viewer => {
  const plain = createPlainText(state, { width: 10_000, color, howToAnswer });
  const write = (lines: readonly string[]) => lines.length > 0 && output.write(`${lines.join("\n")}\n`);
  return {
    state,
    add: (entry) => {
      fold(state, entry);
      write(plain(entry));
    },
    know: ({ text }) => void (text && write([`(${text})`])),
    end: () => {},
  };
};

/** Twelve frames per second: enough for a spinner, and cheap on a slow connection. */
const FRAME_MS = 80;

const createLiveViewer = (options: ViewerOptions): Viewer => {
  const { output, color, howToAnswer, state = createState(), clock = Date.now } = options;
  const transcript = createTranscript(state);
  const screen = createScreen(output);
  let known: ConnectionState = { text: "", isLive: true };
  let lostAt = 0;
  const log = createLogClock();
  let hasHead = false;

  const draw = (isLast: boolean) => {
    const now = log.at(known.isLive ? clock() : lostAt);
    const { width, height } = screen.size();
    const view = { width, color, now, howToAnswer };
    const settled: string[] = [];
    if (!hasHead && state.run !== undefined) {
      settled.push(...headLines(state, view), "");
      hasHead = true;
    }
    settled.push(...transcript.settled(view));
    const foot = footLines(state, { ...view, known });
    if (isLast && describeRun(state).isOver) return screen.draw([...settled, ...foot], []);
    const live = transcript.live({ ...view, height: Math.max(1, height - foot.length - 2) });
    const tail = [...live, ...foot];
    screen.draw(isLast ? [...settled, ...tail] : settled, isLast ? [] : tail);
  };

  const timer = setInterval(() => draw(false), FRAME_MS);
  return {
    state,
    add: (entry) => {
      fold(state, entry);
      log.hear({ since: entry.at }, clock());
    },
    know: (next) => {
      if (known.isLive && !next.isLive) lostAt = clock();
      known = next;
    },
    end: () => {
      clearInterval(timer);
      draw(true);
      screen.close();
    },
  };
};
