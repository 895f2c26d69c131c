// The process of one client under test: its file, then orders from the measuring process.
import { growth } from "./client/growth.ts";
import { answer } from "./pinned.ts";
import { MARK, nativeRun } from "./workload.ts";
import type { Plan } from "./workload.ts";

/** A client under test: bytes to a view of the run, in one process, without a network. */
export interface Client {
  /** The stream that a server of its family would send. */
  stream(plan: Plan): Iterable<string>;
  /** Reads such a stream as it comes in chunks, builds its view for every event, answers the text in the end. */
  read(chunks: readonly Uint8Array[]): string | Promise<string>;
  /** Takes the arguments of one call in these pieces, building its view for every one; answers the arguments in the end. */
  grow?(deltas: readonly string[]): unknown;
  /** Nanoseconds to take in one more token when the run has so many parts already. */
  tokenAfter?(parts: number): number;
}

export type ClientOrder =
  | { readonly do: "read"; readonly tokens: number; readonly total: number }
  | { readonly do: "grow"; readonly sizes: readonly number[]; readonly limitMs: number }
  | { readonly do: "token-after"; readonly parts: number };

export interface ClientAnswers {
  /** Nanoseconds an event. */
  readonly read: { readonly ns: number };
  readonly grow: { readonly slope: number; readonly ms: number; readonly size: number };
  readonly "token-after": { readonly ns: number };
}

const CHUNK_BYTES = 16 * 1024;

if (process.send) {
  const { client }: { client: Client } = await import(new URL(process.argv[2]!, import.meta.url).href);
  answer<ClientOrder>(async (order) => {
    if (order.do === "read") return { ns: await read(client, order.tokens, order.total) };
    if (order.do === "grow") return growth(client.grow!, order.sizes, order.limitMs);
    return { ns: client.tokenAfter!(order.parts) };
  });
}

/** So many runs that about `total` tokens are read, whatever the length of one: short and long runs are then equally warm. */
async function read(client: Client, tokens: number, total: number): Promise<number> {
  const plan: Plan = {
    mode: "burst",
    streams: 1,
    tokens,
    tools: 10,
    perTick: 1,
    rate: 0,
    shared: false,
    padding: 0,
  };
  const chunks = cut(Buffer.from([...client.stream(plan)].join("")));
  const expected = nativeRun(plan)
    .events.map((event) => (event.type === "text-delta" ? event.delta : ""))
    .join("");
  const runs = Math.max(1, Math.round(total / tokens));
  const pass = async (count: number) => {
    const startedAt = performance.now();
    for (let run = 0; run < count; run++) {
      const text = await client.read(chunks);
      if (text !== expected) throw new Error(`it read ${text.split(MARK).length - 1} of ${tokens} tokens`);
    }
    return performance.now() - startedAt;
  };
  const first = await pass(1);
  const within = (ms: number) => Math.max(1, Math.min(runs, Math.ceil(ms / first)));
  await pass(within(500));
  globalThis.gc?.();
  const count = within(2000);
  return ((await pass(count)) * 1e6) / (count * (tokens + 30));
}

function cut(bytes: Uint8Array): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) chunks.push(bytes.subarray(at, at + CHUNK_BYTES));
  return chunks;
}
