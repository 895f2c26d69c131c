import { createContext, useContext, useEffect, useMemo } from "react";
import type { Block } from "runcast/markdown";
import { nextBeat } from "../kit/beat.ts";
import { showSoon } from "../kit/show.ts";
import type { HighlightReply, HighlightRequest } from "./highlight/messages.ts";

/** The colors of one code block, as far as they are known. */
export interface Highlighting {
  /** The colors of a piece's first lines. */
  readonly lines: (piece: number) => readonly (readonly number[])[];
  readonly subscribe: (piece: number, listener: () => void) => () => void;
  /** Receives colors until the returned function is called. */
  readonly listen: () => () => void;
  /** Sends the lines completed since the last call. */
  readonly update: () => void;
}

/** Code beyond this length per block is not highlighted, to save memory. */
const LENGTH = 400_000;

/** Highlights code in a worker that starts with the first block that needs it. */
export const createHighlighter = (): ((block: Block) => Highlighting) => {
  let worker: Worker | undefined;
  let isRefused = false;
  let count = 0;
  const listeners = new Map<number, (reply: HighlightReply) => void>();

  const post = (request: HighlightRequest): void => {
    if (isRefused) return;
    if (!worker) {
      try {
        worker = new Worker(new URL("./highlight/worker.ts", import.meta.url), { type: "module" });
      } catch {
        // A frame with an opaque origin cannot start workers. Code then stays without colors.
        isRefused = true;
        return;
      }
      worker.addEventListener("message", ({ data }: MessageEvent<HighlightReply>) => {
        // Shown with the text that arrives meanwhile. Otherwise the colors cost a frame of their own.
        void nextBeat().then(() => showSoon(() => listeners.get(data.block)?.(data)));
      });
    }
    worker.postMessage(request, []);
  };

  return (code) => {
    const block = ++count;
    const colors: (readonly number[])[][] = [];
    const waiting = new Map<number, Set<() => void>>();
    // The positions of the next line to send, and of the next line to receive colors for.
    let piece = 0;
    let offset = 0;
    let sent = 0;
    let ended = false;
    const places: number[] = [];
    let answered = 0;

    const take = ({ lines }: HighlightReply): void => {
      const changed = new Set<number>();
      for (const line of lines) {
        const place = places[answered++]!;
        (colors[place] ??= []).push(line);
        changed.add(place);
      }
      for (const place of changed) {
        // A new array signals the change to the view.
        colors[place] = [...colors[place]!];
        for (const listener of waiting.get(place) ?? []) listener();
      }
    };

    return {
      lines: (index) => colors[index] ?? NONE,
      subscribe(index, listener) {
        const listeners = waiting.get(index);
        if (listeners) listeners.add(listener);
        else waiting.set(index, new Set([listener]));
        return () => waiting.get(index)?.delete(listener);
      },
      update() {
        if (code.mark === "" || ended || sent > LENGTH) return;
        const lines: string[] = [];
        for (; piece < code.children.length; piece++, offset = 0) {
          const { text, open } = code.children[piece]!;
          for (let end = text.indexOf("\n", offset); end >= 0; end = text.indexOf("\n", offset)) {
            lines.push(text.slice(offset, end));
            places.push(piece);
            offset = end + 1;
          }
          if (open) break;
          if (offset < text.length) {
            lines.push(text.slice(offset));
            places.push(piece);
          }
        }
        ended = !code.open;
        for (const line of lines) sent += line.length;
        if (lines.length > 0) post({ block, language: code.mark, lines, last: ended });
      },
      listen() {
        listeners.set(block, take);
        return () => void listeners.delete(block);
      },
    };
  };
};

const NONE: readonly (readonly number[])[] = [];

/** One worker for the page, unless another is provided. */
export const HighlighterContext = createContext(createHighlighter());

export const useHighlighting = (block: Block): Highlighting => {
  const highlighter = useContext(HighlighterContext);
  const highlighting = useMemo(() => highlighter(block), [highlighter, block]);
  useEffect(() => highlighting.listen(), [highlighting]);
  useEffect(() => highlighting.update());
  return highlighting;
};
