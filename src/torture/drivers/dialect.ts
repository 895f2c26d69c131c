import type { Decoder, Frame } from "../../dialect.ts";
import type { Event } from "../../events.ts";
import { messageOf } from "../../message-of.ts";
import { createFrameReader } from "../../sse.ts";
import type { Viewer } from "../driver.ts";
import type { FetchInit, Line } from "../line.ts";
import { EventScreen, type Screen } from "../screen.ts";

export interface StreamRequest extends FetchInit {
  readonly url: string;
}

export interface ViewerOptions {
  /** The viewer that this one continues. */
  readonly before?: { readonly screen: EventScreen; readonly lastEventId: string };
  /** Loads what to show if there is no stream. */
  readonly otherwise?: () => Promise<readonly Event[] | undefined>;
}

/** A viewer of a stream in any dialect. */
export class StreamViewer implements Viewer {
  readonly screen: EventScreen;
  status: number | undefined;
  refusal: string | undefined;
  isOver = false;
  readonly over: Promise<void>;
  /** The next connection resumes after this id. */
  lastEventId: string;
  readonly #stop = new AbortController();
  readonly #waiting = new Set<() => void>();

  /** Pass a function if other requests must come first. An error that it throws becomes the refusal, with its `status` if it has one. */
  constructor(
    request: StreamRequest | (() => Promise<StreamRequest>),
    decode: Decoder,
    line: Line,
    options: ViewerOptions = {},
  ) {
    const { before, otherwise } = options;
    this.screen = before?.screen ?? new EventScreen();
    this.lastEventId = before?.lastEventId ?? "";
    this.over = this.#read(request, decode, line, otherwise)
      .catch((error: unknown) => {
        this.refusal ??= messageOf(error);
        const { status } = (error ?? {}) as { status?: unknown };
        if (typeof status === "number") this.status ??= status;
      })
      .finally(() => {
        this.isOver = true;
        this.#wake();
      });
  }

  until(isShown: (screen: Screen) => boolean, withinMs: number): Promise<boolean> {
    if (isShown(this.screen)) return Promise.resolve(true);
    if (this.isOver) return Promise.resolve(false);
    return new Promise((resolve) => {
      const end = (value: boolean) => {
        clearTimeout(timer);
        this.#waiting.delete(look);
        resolve(value);
      };
      const look = () => {
        if (isShown(this.screen)) end(true);
        else if (this.isOver) end(false);
      };
      const timer = setTimeout(() => end(false), withinMs);
      this.#waiting.add(look);
    });
  }

  close(): void {
    this.#stop.abort();
  }

  async #read(
    asked: StreamRequest | (() => Promise<StreamRequest>),
    decode: Decoder,
    line: Line,
    otherwise: ViewerOptions["otherwise"],
  ): Promise<void> {
    const { url, ...init } = typeof asked === "function" ? await asked() : asked;
    const response = await line.fetch(url, { ...init, signal: this.#stop.signal });
    this.status = response.status;
    if (response.status !== 200) {
      this.refusal = (await response.text()) || `status ${response.status}`;
      for (const event of (await otherwise?.()) ?? []) this.screen.take(event);
      return;
    }
    const take = (frame: Frame) => {
      for (const event of decode(frame)) this.screen.take(event);
    };
    // Some dialects complete an event only in a later frame. After a pause, no such frame will arrive.
    const paused = () => {
      for (const event of decode.pause?.() ?? []) this.screen.take(event);
      this.#wake();
    };
    let timer: NodeJS.Timeout | undefined;
    const reader = createFrameReader(take, { lastEventId: this.lastEventId, maxFrameBytes: MAX_FRAME_BYTES });
    for await (const bytes of response.body ?? []) {
      clearTimeout(timer);
      reader.push(bytes);
      this.lastEventId = reader.lastEventId;
      this.#wake();
      if (decode.pause) timer = setTimeout(paused, PAUSE_MS);
    }
    clearTimeout(timer);
    paused();
  }

  #wake(): void {
    for (const look of this.#waiting) look();
  }
}

/** Frames of one event arrive closer together than this. */
const PAUSE_MS = 100;
const MAX_FRAME_BYTES = 64 * 1024 * 1024;
