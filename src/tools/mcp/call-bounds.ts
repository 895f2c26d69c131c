import { Refusal } from "../../source.ts";
import type { ToolContext } from "../../tool.ts";

/** Limits on what a server may do to the run and the user in one call. A well-behaved server stays far below them. */
const FREE_PROGRESS = 100;
const PROGRESS_MS = 100;
const LOGGED_CHARACTERS = 256 * 1024;
const MAX_ASKS = 16;
/** Each refusal is a message to the server. After this many, the call is abandoned. */
const MAX_REFUSED_ASKS = 4;

type Progress = Parameters<ToolContext["progress"]>[0];

export interface BoundedCall {
  /** Shows the first hundred updates. After that, if they come faster than a user can read, only the latest. */
  progress(progress: Progress): void;
  logged(text: string): void;
  /** Counts one more ask. False if there are too many. */
  mayAsk(): boolean;
  /** Aborts when the server has asked too often and the call is abandoned. */
  readonly abandoned: AbortSignal;
  /** Shows the last progress that was held back. */
  end(): void;
}

export const boundedCall = (context: ToolContext): BoundedCall => {
  let asks = 0;
  const giving = new AbortController();
  let logged = 0;
  let shown = 0;
  let shownAt = 0;
  let held: Progress | undefined;
  let timer: NodeJS.Timeout | undefined;
  const show = () => {
    clearTimeout(timer);
    timer = undefined;
    if (!held) return;
    context.progress(held);
    held = undefined;
    shown += 1;
    shownAt = performance.now();
  };
  return {
    progress(progress) {
      held = progress;
      const wait = shownAt + PROGRESS_MS - performance.now();
      if (shown < FREE_PROGRESS || wait <= 0) show();
      else timer ??= setTimeout(show, wait);
    },
    logged(text) {
      if (logged > LOGGED_CHARACTERS) return;
      logged += text.length;
      const fits = text.slice(0, text.length - Math.max(0, logged - LOGGED_CHARACTERS));
      context.output(fits === text ? text : `${fits}\n… The server logged more than is shown.\n`, "stderr");
    },
    mayAsk() {
      asks += 1;
      if (asks > MAX_ASKS + MAX_REFUSED_ASKS) giving.abort(tooManyAsks());
      return asks <= MAX_ASKS;
    },
    abandoned: giving.signal,
    end: show,
  };
};

const tooManyAsks = (): Refusal =>
  new Refusal("mcp-too-many-asks", `The server asked more than ${MAX_ASKS} questions in one call and did not stop.`, {
    status: 502,
  });
