import type { Coverage } from "../../dialect.ts";

/** What becomes of an event in a dialect that says nothing else of it. A new type of event gets its default here. */
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

/** A dialect that has something of every event, but for what these losses name. */
export const extendedBut = (losses: Partial<Coverage>): Coverage => ({ ...EXTENDED, ...losses });
