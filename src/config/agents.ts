import { demoAgent } from "../models/demo.ts";
import type { Source } from "../source.ts";

export interface ConfiguredAgent {
  readonly source: Source;
  readonly description?: string;
  readonly model?: string;
}

/** What there is without a configuration. */
export const defaultAgents = (speed: number): Readonly<Record<string, ConfiguredAgent>> => ({
  demo: {
    source: demoAgent({ speed }),
    description: "Plays scripted stories with real tools; needs no key.",
    model: "demo (scripted)",
  },
});
