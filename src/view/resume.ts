import type { ResumeNode } from "../state.ts";
import { counted } from "./amounts.ts";

/** The text shown where another process took over a run. */
export const describeResume = ({ cut }: ResumeNode): string =>
  cut.length === 0
    ? "Continued after an interruption."
    : `Continued after an interruption. ${counted(cut.length, "item")} cut off.`;
