import type { VariantName } from "./variants.ts";
import type { Plan } from "./workload.ts";

/** A workload that is measured on several servers. */
export interface Scenario {
  readonly name: string;
  /** `elsewhere`: the runs execute on one process, and are watched on another. */
  readonly kind: "stream" | "elsewhere" | "catch-up" | "idle" | "stalled";
  readonly plan: Plan;
  readonly variants: readonly VariantName[];
  /** For `idle`: the smaller number of streams. For `stalled`: how many stop reading, for our servers and for peers. */
  readonly base?: number;
  readonly stalled?: { readonly ours: number; readonly peers: number };
  /** Memory needs fewer rounds than time. */
  readonly rounds?: number;
}

const burst: Plan = {
  mode: "burst",
  streams: 100,
  tokens: 1000,
  tools: 10,
  perTick: 1,
  rate: 0,
  shared: false,
  padding: 0,
};
const ours: VariantName[] = ["runcast-memory", "runcast-sqlite"];
/** Logs that several processes share, and a peer that also shows a stream from any process. */
const shared: VariantName[] = ["runcast-redis", "runcast-postgres"];
const sharing: VariantName[] = [...shared, "resumable-follower"];
const peers: VariantName[] = ["fastify", "better-sse", "hono", "ag-ui", "ai-sdk", "resumable-stream"];

export const scenarios = ({ quick }: { quick: boolean }): readonly Scenario[] => {
  const many = quick ? 200 : 1000;
  const tokens = quick ? 100 : 1000;
  const few = quick ? 50 : 300;
  const tenThousand: Plan = {
    ...burst,
    mode: "paced",
    streams: quick ? 100 : 500,
    tokens: quick ? 10 : 80,
    tools: 0,
    rate: 20,
  };
  return [
    {
      name: "100",
      kind: "stream",
      plan: { ...burst, tokens },
      variants: ["raw", "raw-again", ...ours, ...peers, ...sharing],
    },
    {
      name: "1000",
      kind: "stream",
      plan: { ...burst, streams: many, tokens: few },
      variants: ["raw", "raw-again", ...ours, ...peers, ...sharing],
    },
    {
      name: "batch",
      kind: "stream",
      plan: { ...burst, tokens, perTick: 8 },
      variants: ["raw", ...ours, ...peers],
    },
    {
      name: "paced",
      kind: "stream",
      plan: { ...burst, mode: "paced", streams: many, tokens: quick ? 10 : 60, tools: 0, rate: 20 },
      variants: ["raw", "raw-pull", "raw-logged", ...ours, ...peers, ...sharing],
    },
    { name: "paced-10k", kind: "stream", plan: tenThousand, variants: ["raw", ...shared] },
    { name: "elsewhere", kind: "elsewhere", plan: tenThousand, variants: shared },
    {
      name: "shared",
      kind: "stream",
      plan: { ...burst, streams: many, tokens: quick ? 50 : 200, shared: true },
      variants: ["raw-once", "runcast-memory", "better-sse", "hono"],
    },
    {
      name: "catch-up",
      kind: "catch-up",
      plan: { ...burst, streams: 20, tokens: quick ? 1000 : 10_000, tools: 0, perTick: 8 },
      variants: ours,
    },
    {
      name: "idle",
      kind: "idle",
      plan: { ...burst, mode: "idle", streams: quick ? 1000 : 10_000, shared: true },
      base: quick ? 200 : 2000,
      variants: ["raw", ...ours, "better-sse", "hono", "ai-sdk"],
      rounds: 2,
    },
    {
      name: "idle-runs",
      kind: "idle",
      plan: { ...burst, mode: "idle", streams: quick ? 1000 : 10_000 },
      base: quick ? 200 : 2000,
      variants: ours,
      rounds: 2,
    },
    {
      name: "stalled",
      kind: "stalled",
      plan: { ...burst, streams: 1, tokens: quick ? 2000 : 10_000, tools: 0, shared: true, padding: 2000 },
      stalled: { ours: quick ? 50 : 100, peers: quick ? 5 : 10 },
      variants: ["raw", "raw-once", "runcast-memory", "better-sse", "hono"],
      rounds: 2,
    },
  ];
};
