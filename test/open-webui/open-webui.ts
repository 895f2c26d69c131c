import { type Backend, createBackend } from "./backend.ts";
import { type BrowserMessage, browserMessage, loadedMessage } from "./browser.ts";
import { display, type Display } from "./display.ts";
import type { OpenCall } from "./ended-items.ts";
import type { Generation } from "./generations.ts";
import type { Emitted, SavedMessage } from "./saved-message.ts";

/** One answer in one chat of Open WebUI: our stream goes in, what people see comes out. */
export interface OpenWebui {
  /** The next lines of the stream; the last one may lack its line break. */
  take(lines: string): void;
  /** The stream is over. */
  end(): void;
  /** Somebody presses Stop: what is taken afterwards is not heard. */
  stop(): void;
  /** What the page that was there from the beginning shows. */
  display(): Display;
  /** What a page shows that is loaded now, before the next event reaches it; after `end`, what is there for good. */
  reloaded(): Display;
  readonly message: BrowserMessage;
  readonly saved: SavedMessage;
  readonly items: Backend["items"];
  /** Everything the browser was sent, in order. */
  readonly emitted: readonly Emitted[];
  /** What the browser was sent, in bytes, as the socket frames it. */
  socketBytes(): number;
  readonly executes: readonly OpenCall[];
  readonly crash: string | undefined;
  /** The most bytes that a line had: old releases lose an answer over a long one. */
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
        // A character has at least one byte: long lines are measured, short ones need not be.
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

/** A packet is JSON in ASCII: every other character is six bytes, or twice six. */
const packetBytes = (event: Emitted): number =>
  `42${JSON.stringify(["events", { chat_id: ID, message_id: ID, data: event }])}`.replace(/[^\0-\x7f]/g, "\\u0000")
    .length;
