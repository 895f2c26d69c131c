import type { Frame } from "../src/dialect.ts";
import { randomFrom } from "./random.ts";

/** Turns real frames into those of broken, old, foreign and hostile servers. Deterministic for a seed. */
export interface Mutator {
  frames(real: readonly Frame[]): Frame[];
  /** A JSON text, usually with a mistake in it. */
  text(real: string): string;
  /** The same bytes in pieces, some of them damaged. */
  pieces(bytes: Uint8Array): Uint8Array[];
}

const ODD: readonly unknown[] = [
  null,
  true,
  -1,
  1e308,
  "",
  "\0\r\n\u2028",
  "__proto__",
  [],
  {},
  [[[[[]]]]],
  { toString: null },
  { type: {} },
  { length: 1e9 },
  "\ud800",
];

export const createMutator = (seed: number): Mutator => {
  const random = randomFrom(seed);
  const below = (limit: number) => Math.floor(random() * limit);
  const pick = <Item>(items: readonly Item[]): Item => items[below(items.length)]!;

  const anyJson = (depth: number): unknown => {
    if (depth === 0 || random() < 0.4) return pick(ODD);
    if (random() < 0.5) return Array.from({ length: below(4) }, () => anyJson(depth - 1));
    return Object.fromEntries(
      Array.from({ length: below(5) }, () => [
        pick(["type", "data", "id", "content", "choices", "delta", "__proto__", "0"]),
        anyJson(depth - 1),
      ]),
    );
  };

  /** Changes, drops or adds one field somewhere in the value. */
  const bend = (value: unknown): unknown => {
    if (typeof value !== "object" || value === null) return pick(ODD);
    const keys = Object.keys(value);
    if (keys.length === 0 || random() < 0.1) return anyJson(3);
    const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>;
    const key = pick(keys);
    const luck = random();
    if (luck < 0.25) delete copy[key];
    else if (luck < 0.5) copy[key] = pick(ODD);
    else copy[key] = bend(copy[key]);
    return copy;
  };

  const bendText = (data: string): string => {
    try {
      return JSON.stringify(bend(JSON.parse(data))) ?? "";
    } catch {
      return data;
    }
  };

  const data = (text: string): string => {
    switch (below(8)) {
      case 0:
        return text.slice(0, below(text.length + 1));
      case 1:
        return text + text;
      case 2:
        return JSON.stringify(anyJson(4)) ?? "";
      case 3:
        return "[".repeat(below(20_000));
      case 4:
        return text.replace(/"[^"]*"/, () => JSON.stringify("x".repeat(below(200_000))));
      case 5: {
        const at = below(text.length + 1);
        return text.slice(0, at) + pick(["\0", '"', "{", "\\", "\ud800", "9"]) + text.slice(at + 1);
      }
      default:
        return bendText(text);
    }
  };

  return {
    text: data,
    frames(real) {
      const frames: Frame[] = [];
      const events = [...new Set(real.map(({ event }) => event))];
      for (const frame of real) {
        const luck = random();
        if (luck < 0.04) continue;
        if (luck < 0.1) frames.push({ ...frame, data: data(frame.data) });
        else if (luck < 0.13) frames.push(frame, frame);
        else if (luck < 0.16) frames.splice(below(frames.length + 1), 0, frame);
        else if (luck < 0.18) frames.push({ data: frame.data, event: pick([...events, "message", "error", ""]) ?? "" });
        else frames.push(frame);
      }
      return frames;
    },
    pieces(bytes) {
      const pieces: Uint8Array[] = [];
      for (let start = 0; start < bytes.length;) {
        const end = start + 1 + below(random() < 0.1 ? 4 : 4096);
        const piece = Uint8Array.from(bytes.subarray(start, end));
        if (random() < 0.05) piece[below(piece.length)] = below(256);
        if (random() > 0.01) pieces.push(piece);
        start = end;
      }
      return pieces;
    },
  };
};
