import { acpCase, feedAcp, newDecoder } from "./acp/fuzz-case.ts";
import { agnoCase, feedAgno } from "./agno/fuzz-case.ts";
import { feedLanggraph, langgraphCase } from "./langgraph/fuzz-case.ts";

/** How to fuzz the decoder of a source. */
export interface SourceFuzz {
  /** One case. Throws if the decoder crashes or breaks the grammar. */
  run(seed: number): Promise<void>;
  /** Feeds one decoder with a number of frames, repeatedly. */
  feeder(seed: number): (count: number) => void;
}

/** By source name. */
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
