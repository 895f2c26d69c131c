import type { EventOf } from "../../events.ts";

/** Shown as a thought: OpenAI's formats cannot ask. */
export const askText = ({ title }: EventOf<"ask-start">, page: string): string =>
  `${title ? `${title}: ` : ""}waiting for your answer at ${page}`;
