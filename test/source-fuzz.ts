import { acpCase, feedAcp, newDecoder } from "./acp/fuzz-case.ts";
import { agnoCase, feedAgno } from "./agno/fuzz-case.ts";
import { feedLanggraph, langgraphCase } from "./langgraph/fuzz-case.ts";

/** How the decoder of a source is fuzzed. */
export interface SourceFuzz {
  /** One case: throws if the decoder crashes or breaks the grammar. */
  run(seed: number): Promise<void>;
  /** Feeds one decoder with so many frames, again and again. */
  feeder(seed: number): (count: number) => void;
}

/** By the name of the source. */
export const sourceFuzz: Readonly<Record<string, SourceFuzz>> = {
  acp: {
    run: acpCase,
    feeder: (seed) => {
      const decoder = newDecoder();
      return (count) => feedAcp(seed, count, decoder);
    },
  },
  agno: { run: agnoCase, feeder: feedAgno },
  langgraph: { run: langgraphCase, feeder: feedLanggraph },
};
