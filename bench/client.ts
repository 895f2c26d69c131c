// The process of one client under test. Gets the client's file as argument, then orders from the measuring process.
import { growth } from "./client/growth.ts";
import { answer } from "./pinned.ts";
import { countedEvents, MARK, nativeRun } from "./workload.ts";
import type { Plan } from "./workload.ts";

/** A client under test: turns bytes into a view of the run, in one process, without a network. */
export interface Client {
  /** The stream that a server of its family would send. */
  stream(plan: Plan): Iterable<string>;
  /** Reads such a stream in chunks, builds its view for every event, and returns the final text. */
  read(chunks: readonly Uint8Array[]): string | Promise<string>;
  /** Receives the arguments of one call in these pieces, builds its view for each, and returns the final arguments. */
  grow?(deltas: readonly string[]): unknown;
  /** Creates the run's events, and returns a function that encodes all of them as a stream and returns its length. */
  encode?(plan: Plan): () => number | Promise<number>;
  /** Nanoseconds to process one more token when the run already has this many parts. */
  tokenAfter?(parts: number): number;
}

export type ClientOrder =
  | ({ readonly do: "read"; readonly tokens: number } & Durations)
  | ({ readonly do: "encode"; readonly tokens: number } & Durations)
  | { readonly do: "grow"; readonly sizes: readonly number[]; readonly limitMs: number }
  | { readonly do: "token-after"; readonly parts: number };

interface Durations {
  readonly warmMs: number;
  readonly forMs: number;
}

export interface ClientAnswers {
  /** Nanoseconds per event. */
  readonly read: { readonly ns: number };
  readonly encode: { readonly ns: number };
  readonly grow: { readonly slope: number; readonly ms: number; readonly size: number };
  readonly "token-after": { readonly ns: number };
}

const CHUNK_BYTES = 16 * 1024;
/** The shortest possible frame of a token, in any format. */
const LEAST_FRAME = 40;

if (process.send) {
  const { client }: { client: Client } = await import(new URL(process.argv[2]!, import.meta.url).href);
  answer<ClientOrder>(async (order) => {
    if (order.do === "read" || order.do === "encode")
      return { ns: await { read, encode }[order.do](client, order.tokens, order) };
    if (order.do === "grow") return growth(client.grow!, order.sizes, order.limitMs);
    return { ns: client.tokenAfter!(order.parts) };
  });
}

const planOf = (tokens: number): Plan => ({
  mode: "burst",
  streams: 1,
  tokens,
  tools: 10,
  perTick: 1,
  rate: 0,
  shared: false,
  padding: 0,
});

async function read(client: Client, tokens: number, durations: Durations): Promise<number> {
  const plan = planOf(tokens);
  const chunks = cut(Buffer.from([...client.stream(plan)].join("")));
  const expected = nativeRun(plan)
    .events.map((event) => (event.type === "text-delta" ? event.delta : ""))
    .join("");
  return await timed(countedEvents(plan), durations, async () => {
    const text = await client.read(chunks);
    if (text !== expected) throw new Error(`it read ${text.split(MARK).length - 1} of ${tokens} tokens`);
  });
}

async function encode(client: Client, tokens: number, durations: Durations): Promise<number> {
  const plan = planOf(tokens);
  const encode = client.encode!(plan);
  return await timed(countedEvents(plan), durations, async () => {
    const length = await encode();
    if (length < tokens * LEAST_FRAME) throw new Error(`it wrote only ${length} characters for ${tokens} tokens`);
  });
}

/** Repeats the work until the code is warm, then measures. Short and long runs are then equally warm. */
async function timed(events: number, { warmMs, forMs }: Durations, run: () => Promise<void>): Promise<number> {
  const pass = async (leastMs: number) => {
    const startedAt = performance.now();
    let ms = 0;
    let runs = 0;
    for (; ms < leastMs || runs === 0; runs++) {
      await run();
      ms = performance.now() - startedAt;
    }
    return (ms * 1e6) / (runs * events);
  };
  await pass(warmMs);
  globalThis.gc?.();
  return pass(forMs);
}

function cut(bytes: Uint8Array): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) chunks.push(bytes.subarray(at, at + CHUNK_BYTES));
  return chunks;
}
