import type { Coverage, Loss } from "../../dialect.ts";
import { extendedBut } from "../frames/coverage.ts";

/** Why each kind of event is missing from a format that carries only text, reasoning and calls that the client runs. */
export interface OpenaiLosses {
  /** The execution of the agent's own tools. */
  readonly inside: Loss;
  readonly subAgents: Loss;
  /** Events outside the text: statuses, files, notices and the like. */
  readonly aside: Loss;
  readonly askStart: Loss;
  readonly askEnd: Loss;
}

/** The coverage of OpenAI's formats. */
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
