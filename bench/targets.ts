import type { VariantName } from "./variants.ts";

/** A displayed figure, what it is compared with, and its target. All performance targets of this project are here. */
export interface Row {
  readonly title: string;
  readonly scenario: string;
  readonly metric: string;
  readonly unit: string;
  /** The divisor of each figure, round by round. The variant `*` means the same variant. */
  readonly against?: string;
  /** The variants to show. Default: all. */
  readonly variants?: readonly VariantName[];
  readonly targets?: Readonly<Record<string, Target>>;
  /** Ours must be below every peer by this factor, or by that in `factors`. */
  readonly beats?: { readonly ours: VariantName; readonly factors?: Readonly<Partial<Record<VariantName, number>>> };
}

/** Applies to the ratio, unless `of` selects the figure itself or its excess over the compared figure. */
export interface Target {
  readonly atLeast?: number;
  readonly atMost?: number;
  readonly of?: "value" | "excess";
}

const memory = "runcast-memory";
const sqlite = "runcast-sqlite";
const redis = "runcast-redis";
const postgres = "runcast-postgres";
/**
 * The target is against `resumable-follower`, the same library with a viewer that reads from Redis. With ours, every
 * viewer gets only what is stored, on any process. The viewer of plain `resumable-stream` gets the producer's own stream,
 * and Redis gets none of it until someone else follows. That is less work, so it is shown without a target.
 */
const shared = [redis, postgres] as const;

export const rows: readonly Row[] = [
  {
    title: "throughput, 100 streams",
    scenario: "100",
    metric: "rate",
    unit: "events/s",
    against: "100/raw",
    targets: { [memory]: { atLeast: 2.2 } },
  },
  {
    title: "throughput, 1000 streams",
    scenario: "1000",
    metric: "rate",
    unit: "events/s",
    against: "1000/raw",
    targets: { [memory]: { atLeast: 1.8 } },
  },
  {
    title: "throughput, 100 streams, shown from anywhere",
    scenario: "100",
    metric: "rate",
    unit: "events/s",
    against: "100/resumable-follower",
    variants: [...shared, "resumable-follower"],
    targets: { [redis]: { atLeast: 4 }, [postgres]: { atLeast: 4 } },
  },
  {
    title: "throughput, 100 streams, against resumable-stream without followers",
    scenario: "100",
    metric: "rate",
    unit: "events/s",
    against: "100/resumable-stream",
    variants: [...shared, "resumable-stream"],
  },
  {
    title: "CPU, 100 streams",
    scenario: "100",
    metric: "cpu",
    unit: "s/M events",
    against: "100/raw",
    targets: {
      [memory]: { atMost: 0.5 },
      [sqlite]: { atMost: 1.6 },
      [redis]: { atMost: 1.6 },
      [postgres]: { atMost: 2.2 },
    },
    beats: { ours: memory, factors: { "ai-sdk": 2.5 } },
  },
  {
    title: "throughput, 1000 streams, shown from anywhere",
    scenario: "1000",
    metric: "rate",
    unit: "events/s",
    against: "1000/resumable-follower",
    variants: [...shared, "resumable-follower"],
    targets: { [redis]: { atLeast: 4 }, [postgres]: { atLeast: 4 } },
  },
  {
    title: "throughput, 1000 streams, against resumable-stream without followers",
    scenario: "1000",
    metric: "rate",
    unit: "events/s",
    against: "1000/resumable-stream",
    variants: [...shared, "resumable-stream"],
  },
  {
    title: "CPU, 1000 streams",
    scenario: "1000",
    metric: "cpu",
    unit: "s/M events",
    against: "1000/raw",
    targets: {
      [memory]: { atMost: 0.6 },
      [sqlite]: { atMost: 1.6 },
      [redis]: { atMost: 1.6 },
      [postgres]: { atMost: 2.2 },
    },
    beats: { ours: memory, factors: { "ai-sdk": 8 } },
  },
  {
    title: "CPU, 100 streams, 8 tokens a tick, against raw at one a tick",
    scenario: "batch",
    metric: "cpu",
    unit: "s/M events",
    against: "100/raw",
    targets: { [memory]: { atMost: 0.4 } },
    beats: { ours: memory },
  },
  {
    title: "delay p50, 1000 streams at 20/s",
    scenario: "paced",
    metric: "p50",
    unit: "us",
    against: "paced/raw",
    targets: { [memory]: { atMost: 1 } },
  },
  {
    title: "delay p99, 1000 streams at 20/s",
    scenario: "paced",
    metric: "p99",
    unit: "us",
    against: "paced/raw",
    targets: { [memory]: { atMost: 2 }, [sqlite]: { atMost: 10_000, of: "value" } },
  },
  {
    title: "delay that grows, 1000 streams at 20/s: last quarter less first",
    scenario: "paced",
    metric: "growth",
    unit: "us",
    targets: { [redis]: { atMost: 10_000, of: "value" }, [postgres]: { atMost: 10_000, of: "value" } },
  },
  {
    title: "delay p99, 500 streams at 20/s",
    scenario: "paced-10k",
    metric: "p99",
    unit: "us",
    against: "paced-10k/raw",
    targets: { [redis]: { atMost: 50_000, of: "value" }, [postgres]: { atMost: 50_000, of: "value" } },
  },
  {
    title: "delay p99, 500 streams at 20/s, watched on another process",
    scenario: "elsewhere",
    metric: "p99",
    unit: "us",
    against: "paced-10k/*",
    targets: { [redis]: { atMost: 50_000, of: "value" }, [postgres]: { atMost: 50_000, of: "value" } },
  },
  {
    title: "CPU of both processes, 500 streams at 20/s, watched on another process",
    scenario: "elsewhere",
    metric: "cpu",
    unit: "s/M events",
    against: "paced-10k/raw",
  },
  {
    title: "CPU, 1000 streams at 20/s",
    scenario: "paced",
    metric: "cpu",
    unit: "s/M events",
    against: "paced/raw",
    targets: {
      [memory]: { atMost: 1.25 },
      [sqlite]: { atMost: 1.5 },
      [redis]: { atMost: 1.6 },
      [postgres]: { atMost: 2.2 },
    },
    beats: { ours: memory },
  },
  {
    title: "throughput, one run to 1000 viewers",
    scenario: "shared",
    metric: "rate",
    unit: "events/s",
    against: "shared/raw-once",
    targets: { [memory]: { atLeast: 1.3 } },
  },
  {
    title: "CPU, one run to 1000 viewers",
    scenario: "shared",
    metric: "cpu",
    unit: "s/M events",
    against: "shared/raw-once",
    beats: { ours: memory },
  },
  {
    title: "CPU to catch up on 10,000 stored entries, against raw live",
    scenario: "catch-up",
    metric: "cpu",
    unit: "s/M events",
    against: "100/raw",
    targets: { [memory]: { atMost: 0.5 }, [sqlite]: { atMost: 0.5 } },
  },
  {
    title: "memory of an idle stream",
    scenario: "idle",
    metric: "kib",
    unit: "KiB",
    against: "idle/raw",
    targets: { [memory]: { atMost: 1, of: "excess" }, [sqlite]: { atMost: 1, of: "excess" } },
  },
  {
    title: "live objects of an idle stream, of that memory",
    scenario: "idle",
    metric: "heap",
    unit: "KiB",
    against: "idle/raw",
  },
  {
    title: "memory of an idle stream with an open run of its own",
    scenario: "idle-runs",
    metric: "kib",
    unit: "KiB",
  },
  {
    title: "memory of a stalled viewer",
    scenario: "stalled",
    metric: "kib",
    unit: "KiB",
    targets: { [memory]: { atMost: 64, of: "value" } },
  },
  {
    title: "bytes of a token frame, against a bare data line with the same JSON",
    scenario: "100",
    metric: "overhead",
    unit: "x",
    targets: { [memory]: { atMost: 1.4, of: "value" }, [sqlite]: { atMost: 1.4, of: "value" } },
  },
  {
    title: "client: parse and fold, 1k tokens, speed against a hand loop",
    scenario: "read-1k",
    metric: "rate",
    unit: "events/s",
    against: "read-1k/hand",
    targets: { runcast: { atLeast: 0.6 } },
  },
  {
    title: "client: parse and fold, 64k tokens, speed against a hand loop",
    scenario: "read-64k",
    metric: "rate",
    unit: "events/s",
    against: "read-64k/hand",
    targets: { runcast: { atLeast: 0.6 } },
  },
  {
    title: "client: parse and fold, 1k tokens, speed against AI SDK's message snapshots",
    scenario: "read-1k",
    metric: "rate",
    unit: "events/s",
    against: "read-1k/ai-sdk",
    targets: { runcast: { atLeast: 25 } },
  },
  {
    title: "client: parse and fold, 64k tokens, speed against AI SDK's message snapshots",
    scenario: "read-64k",
    metric: "rate",
    unit: "events/s",
    against: "read-64k/ai-sdk",
    targets: { runcast: { atLeast: 25 } },
  },
  {
    title: "client: cost of an event in a 64k-token run, against a 1k-token run",
    scenario: "read-64k",
    metric: "ns",
    unit: "ns",
    against: "read-1k/*",
    targets: { runcast: { atMost: 1.2 } },
  },
  {
    title: "client: fold of a token after 10,000 parts, against none",
    scenario: "parts",
    metric: "ns",
    unit: "ns",
    against: "no-parts/*",
    targets: { runcast: { atMost: 1.2 } },
  },
  {
    title: "encode a run of 1k tokens for AG-UI, speed against its own encoder",
    scenario: "encode-ag-ui",
    metric: "rate",
    unit: "events/s",
    against: "encode-ag-ui/ag-ui",
    targets: { "runcast-ag-ui": { atLeast: 1 } },
  },
  {
    title: "encode a run of 1k tokens for the AI SDK, speed against its own stream",
    scenario: "encode-ai-sdk",
    metric: "rate",
    unit: "events/s",
    against: "encode-ai-sdk/ai-sdk",
    targets: { "runcast-ai-sdk": { atLeast: 1 } },
  },
  {
    title: "client: growth of tool arguments, 1k to 64k pieces, slope between logarithms",
    scenario: "arguments",
    metric: "slope",
    unit: "",
    targets: { runcast: { atMost: 1.05, of: "value" }, "runcast-json": { atMost: 1.05, of: "value" } },
  },
];

/** If raw and raw-again differ by more than this, the whole run is void. */
export const guard = { least: 0.9, most: 1.1, figures: ["100/rate", "100/cpu", "1000/rate", "1000/cpu"] } as const;
