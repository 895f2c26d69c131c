import type { Coverage, Loss } from "../../dialect.ts";
import { extendedBut } from "../frames/coverage.ts";

/** Why each kind of event has no place in an answer that only knows words, thoughts and calls that the client runs. */
export interface OpenaiLosses {
  /** The agent's own tools at work. */
  readonly inside: Loss;
  readonly subAgents: Loss;
  /** What stands beside the words. */
  readonly aside: Loss;
  readonly askStart: Loss;
  readonly askEnd: Loss;
}

/** What becomes of each event in OpenAI's formats. */
export const openaiCoverage = ({ inside, subAgents, aside, askStart, askEnd }: OpenaiLosses): Coverage =>
  extendedBut({
    "run-resume": { loses: "the family does not know which process runs an agent" },
    "agent-start": subAgents,
    "agent-end": subAgents,
    "step-retry": aside,
    "tool-execute": inside,
    "tool-progress": inside,
    "tool-output-delta": inside,
    "ask-start": askStart,
    "ask-end": askEnd,
    status: aside,
    citation: aside,
    file: aside,
    embed: aside,
    notice: aside,
    data: aside,
  });
