import { type Block, touch } from "./block.ts";
import { destinationAt, titleAt } from "./inline/destination.ts";

export interface Definition {
  readonly url: string;
  readonly title: string;
}

/** Link reference definitions: `[label]: url "title"`. */
export interface Definitions {
  get(label: string): Definition | undefined;
  /** Removes the definitions from the start of a paragraph and returns the rest. */
  take(text: string): string;
  /** Registers a piece that uses an undefined label. The piece is touched when the label is defined. */
  await(label: string, piece: Block): void;
}

export const createDefinitions = (): Definitions => {
  const known = new Map<string, Definition>();
  const awaited = new Map<string, Set<Block>>();

  const define = (label: string, definition: Definition): void => {
    if (known.has(label)) return;
    known.set(label, definition);
    for (const piece of awaited.get(label) ?? []) touch(piece);
    awaited.delete(label);
  };

  return {
    get: (label) => known.get(normalized(label)),
    take(text) {
      let rest = text;
      for (;;) {
        const found = definitionAt(rest);
        if (!found) return rest;
        define(found.label, found);
        rest = rest.slice(found.end);
      }
    },
    await(label, piece) {
      const key = normalized(label);
      const pieces = awaited.get(key);
      if (pieces) pieces.add(piece);
      else awaited.set(key, new Set([piece]));
    },
  };
};

const normalized = (label: string): string => label.trim().replaceAll(/\s+/g, " ").toLowerCase().toUpperCase();

const definitionAt = (text: string): (Definition & { label: string; end: number }) | undefined => {
  const label = /^\[((?:[^[\]\\]|\\.)+)\]:[ \t]*\n?[ \t]*/.exec(text);
  if (!label || label[1]!.trim() === "") return undefined;
  const destination = destinationAt(text, label[0].length);
  if (!destination) return undefined;
  const bare = /[ \t]*(?:\n|$)/y;
  const lineEnd = (at: number): number | undefined => {
    bare.lastIndex = at;
    return bare.exec(text) ? bare.lastIndex : undefined;
  };
  const gap = /[ \t]*\n?[ \t]*/y;
  gap.lastIndex = destination.end;
  gap.exec(text);
  const title = gap.lastIndex > destination.end ? titleAt(text, gap.lastIndex) : undefined;
  const titled = title && lineEnd(title.end);
  const end = titled ?? lineEnd(destination.end);
  if (end === undefined) return undefined;
  return { label: normalized(label[1]!), url: destination.url, title: titled ? title.text : "", end };
};
