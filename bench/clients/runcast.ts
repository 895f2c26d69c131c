import { createEntryReader } from "../../src/wire.ts";
import type { Entry, Event } from "../../src/events.ts";
import { PROTOCOL } from "../../src/events.ts";
import { createFrameReader } from "../../src/sse.ts";
import { createState, fold } from "../../src/state.ts";
import type { Client } from "../client.ts";
import { nativeRun } from "../workload.ts";

const AT = 1_760_000_000_000;
const start: Event = { type: "run-start", protocol: PROTOCOL, run: "run-1", name: "bench" };

/** Our own client without its network: frames to entries, each folded on arrival. */
export const client: Client = {
  stream: function* (plan) {
    const { opening, events } = nativeRun(plan);
    let seq = 0;
    for (const event of [start, ...opening, ...events, { type: "run-end", outcome: "done" } satisfies Event]) {
      yield `id: ${++seq}\nevent: ${event.type}\ndata: ${JSON.stringify({ ...event, at: AT })}\n\n`;
    }
  },
  read: (chunks) => {
    const state = createState();
    const entryOf = createEntryReader();
    const reader = createFrameReader(({ id, data }) => fold(state, entryOf(id!, data)));
    for (const chunk of chunks) reader.push(chunk);
    return textOf(state);
  },
  grow: (deltas) => {
    const state = createState();
    let seq = 0;
    const add = (event: Event) => fold(state, { seq: ++seq, at: AT, event });
    add(start);
    add({ type: "step-start", step: "step-1" });
    add({ type: "tool-start", call: "call-1", name: "write" });
    for (const delta of deltas) add({ type: "tool-input-delta", call: "call-1", delta });
    add({ type: "tool-input-end", call: "call-1" });
    const call = state.nodes.get("call-1");
    return call?.kind === "call" ? call.input : undefined;
  },
  tokenAfter: (parts) => {
    const TOKENS = 100_000;
    let best = Infinity;
    for (let round = 0; round < 5; round++) best = Math.min(best, tokensAfter(parts, TOKENS));
    return (best * 1e6) / TOKENS;
  },
};

const tokensAfter = (parts: number, tokens: number): number => {
  const state = createState();
  let seq = 0;
  const add = (event: Event) => fold(state, { seq: ++seq, at: AT, event });
  add(start);
  add({ type: "step-start", step: "step-1" });
  for (let part = 0; part < parts; part++) {
    add({ type: "text-start", part: `part-${part}` });
    add({ type: "text-delta", part: `part-${part}`, delta: "a few words" });
    add({ type: "text-end", part: `part-${part}` });
  }
  add({ type: "text-start", part: "last" });
  const entries = Array.from({ length: tokens }, (): Entry => ({
    seq: ++seq,
    at: AT,
    event: { type: "text-delta", part: "last", delta: " word" },
  }));
  globalThis.gc?.();
  const startedAt = performance.now();
  for (const entry of entries) fold(state, entry);
  return performance.now() - startedAt;
};

const textOf = (state: ReturnType<typeof createState>): string => {
  const part = state.nodes.get("text-1");
  return part?.kind === "text" ? part.text : "";
};
