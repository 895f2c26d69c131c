import type { ResumeNode } from "../state.ts";
import { counted } from "./amounts.ts";

/** What a person is told where another process has taken a run over. */
export const describeResume = ({ cut }: ResumeNode): string =>
  cut.length === 0
    ? "Continued after an interruption."
    : `Continued after an interruption that cut off ${counted(cut.length, "item")}.`;
