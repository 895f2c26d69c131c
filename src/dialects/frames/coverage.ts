import type { Coverage } from "../../dialect.ts";

/** The coverage of each event that a dialect does not override. A new event type gets its default here. */
const EXTENDED: Coverage = {
  "run-start": "extended",
  "run-resume": "extended",
  "agent-start": "extended",
  "agent-end": "extended",
  "step-start": "extended",
  "step-retry": "extended",
  "step-end": "extended",
  "text-start": "extended",
  "text-delta": "extended",
  "text-end": "extended",
  "thinking-start": "extended",
  "thinking-delta": "extended",
  "thinking-end": "extended",
  "tool-start": "extended",
  "tool-input-delta": "extended",
  "tool-input-end": "extended",
  "tool-execute": "extended",
  "tool-progress": "extended",
  "tool-output-delta": "extended",
  "tool-end": "extended",
  "ask-start": "extended",
  "ask-end": "extended",
  status: "extended",
  citation: "extended",
  file: "extended",
  embed: "extended",
  notice: "extended",
  data: "extended",
  "run-end": "extended",
};

/** The coverage of a dialect that carries at least part of every event, except for these losses. */
export const extendedBut = (losses: Partial<Coverage>): Coverage => ({ ...EXTENDED, ...losses });
