import { type Backend, createBackend } from "./backend.ts";
import { type BrowserMessage, browserMessage, loadedMessage } from "./browser.ts";
import { display, type Display } from "./display.ts";
import type { OpenCall } from "./ended-items.ts";
import type { Generation } from "./generations.ts";
import type { Emitted, SavedMessage } from "./saved-message.ts";

/** One answer in one chat of Open WebUI: takes our stream and returns what the user sees. */
export interface OpenWebui {
  /** The next lines of the stream. The last one may lack its line break. */
  take(lines: string): void;
  /** Ends the stream. */
  end(): void;
  /** The user presses Stop. Later input is ignored. */
  stop(): void;
  /** What a page shows that was open from the beginning. */
  display(): Display;
  /**
   * What a page shows that is loaded now, before the next event reaches it. After `end`, what is stored permanently.
   */
  reloaded(): Display;
  readonly message: BrowserMessage;
  readonly saved: SavedMessage;
  readonly items: Backend["items"];
  /** Everything the browser was sent, in order. */
  readonly emitted: readonly Emitted[];
  /** The bytes the browser was sent, as framed by the socket. */
  socketBytes(): number;
  readonly executes: readonly OpenCall[];
  readonly crash: string | undefined;
  /** The bytes of the longest line. Old releases lose an answer if a line is too long. */
  readonly longestLine: number;
}

export const createOpenWebui = (generation: Generation): OpenWebui => {
  const backend = createBackend(generation);
  const emitted: Emitted[] = [];
  let message = loadedMessage();
  let isOver = false;
  let longestLine = 0;

  const show = (events: readonly Emitted[]) => {
    for (const event of events) {
      emitted.push(event);
      message = browserMessage(message, event, generation);
    }
  };

  return {
    take(lines) {
      if (isOver) return;
      for (const line of lines.split("\n")) {
        if (line.trim() === "") continue;
        // A UTF-16 unit takes at most three bytes, so only lines that may be longer need to be measured.
        if (line.length * 3 > longestLine) longestLine = Math.max(longestLine, Buffer.byteLength(line) + 1);
        show(backend.line(line));
      }
    },
    end() {
      if (isOver) return;
      isOver = true;
      show(backend.end());
    },
    stop() {
      if (isOver) return;
      isOver = true;
      show(backend.stop());
    },
    display: () => display(message, generation),
    reloaded() {
      const saved = isOver || !generation.overlaysReload ? backend.saved : { ...backend.saved, output: backend.items };
      return display(loadedMessage(saved), generation);
    },
    get message() {
      return message;
    },
    get saved() {
      return backend.saved;
    },
    get items() {
      return backend.items;
    },
    emitted,
    socketBytes: () => emitted.reduce((sum, event) => sum + packetBytes(event), 0),
    get executes() {
      return backend.executes;
    },
    get crash() {
      return backend.crash;
    },
    get longestLine() {
      return longestLine;
    },
  };
};

const ID = "00000000-0000-0000-0000-000000000000";

/** A packet is ASCII JSON: every other character takes six bytes, or twice six. */
const packetBytes = (event: Emitted): number =>
  `42${JSON.stringify(["events", { chat_id: ID, message_id: ID, data: event }])}`.replace(/[^\0-\x7f]/g, "\\u0000")
    .length;
