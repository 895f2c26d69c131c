import { createContext, useContext, useEffect, useMemo } from "react";
import type { Block } from "runcast/markdown";
import type { HighlightReply, HighlightRequest } from "./highlight/messages.ts";

/** The colours of one block of code, as far as they are known. */
export interface Highlighting {
  /** The colours of a piece's first lines. */
  readonly lines: (piece: number) => readonly (readonly number[])[];
  readonly subscribe: (piece: number, listener: () => void) => () => void;
  /** Takes colours in until the function that it returns is called. */
  readonly listen: () => () => void;
  /** Sends the lines that were completed since the last time. */
  readonly update: () => void;
}

/** Colours beyond this much of one block are not worth their memory. */
const LENGTH = 400_000;

/** Colours code in a worker that is started with the first block that asks for it. */
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
        // A frame without an origin of its own may start none: code stays without colours.
        isRefused = true;
        return;
      }
      worker.addEventListener("message", ({ data }: MessageEvent<HighlightReply>) => listeners.get(data.block)?.(data));
    }
    worker.postMessage(request, []);
  };

  return (code) => {
    const block = ++count;
    const colors: (readonly number[])[][] = [];
    const waiting = new Map<number, Set<() => void>>();
    // Where the next line to be sent, and the next one to be answered, stand.
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
        // A new list tells the view that it changed.
        colors[place] = [...colors[place]!];
        for (const listener of waiting.get(place) ?? []) listener();
      }
    };

    return {
      lines: (index) => colors[index] ?? NONE,
      subscribe(index, listener) {
        const some = waiting.get(index);
        if (some) some.add(listener);
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

/** One worker for the page, unless someone provides another. */
export const HighlighterContext = createContext(createHighlighter());

export const useHighlighting = (block: Block): Highlighting => {
  const highlighter = useContext(HighlighterContext);
  const highlighting = useMemo(() => highlighter(block), [highlighter, block]);
  useEffect(() => highlighting.listen(), [highlighting]);
  useEffect(() => highlighting.update());
  return highlighting;
};
