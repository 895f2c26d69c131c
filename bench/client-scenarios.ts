import type { ClientOrder } from "./client.ts";

/** The clients under test, each in a separate process. */
export const clients = {
  hand: "./clients/hand.ts",
  runcast: "./clients/runcast.ts",
  "runcast-json": "./clients/runcast-json.ts",
  "runcast-ag-ui": "./clients/encode-ag-ui.ts",
  "runcast-ai-sdk": "./clients/encode-ai-sdk.ts",
  "ai-sdk": "./peers/ai-sdk-client.ts",
  "ag-ui": "./peers/ag-ui-client.ts",
} as const;
export type ClientName = keyof typeof clients;

export interface ClientScenario {
  readonly name: string;
  readonly order: ClientOrder;
  readonly clients: readonly ClientName[];
  /** A slope far from flat needs no second measurement against a few percent of noise. */
  readonly rounds?: number;
}

export const clientScenarios = ({ quick }: { quick: boolean }): readonly ClientScenario[] => {
  const long = quick ? 8000 : 64_000;
  const durations = quick ? { warmMs: 50, forMs: 50 } : { warmMs: 1000, forMs: 1000 };
  const sizes = [1000, 2000, 4000, 8000, 16_000, 32_000, 64_000].filter((size) => !quick || size <= 4000);
  const grow = { do: "grow", sizes, limitMs: quick ? 500 : 10_000 } as const;
  return [
    {
      name: "read-1k",
      order: { do: "read", tokens: 1000, ...durations },
      clients: ["hand", "runcast", "ai-sdk", "ag-ui"],
    },
    { name: "read-64k", order: { do: "read", tokens: long, ...durations }, clients: ["hand", "runcast", "ai-sdk"] },
    { name: "no-parts", order: { do: "token-after", parts: 0 }, clients: ["runcast"] },
    { name: "parts", order: { do: "token-after", parts: 10_000 }, clients: ["runcast"] },
    { name: "encode-ag-ui", order: { do: "encode", tokens: 1000, ...durations }, clients: ["runcast-ag-ui", "ag-ui"] },
    {
      name: "encode-ai-sdk",
      order: { do: "encode", tokens: 1000, ...durations },
      clients: ["runcast-ai-sdk", "ai-sdk"],
    },
    { name: "arguments", order: grow, clients: ["runcast", "runcast-json"] },
    { name: "arguments", order: grow, clients: ["ai-sdk", "ag-ui"], rounds: 1 },
  ];
};
