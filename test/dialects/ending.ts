import type { Entry } from "../../src/events.ts";

const NOTES: Readonly<Record<string, string>> = {
  length:
    "The answer is incomplete: the model reached its output token limit. Ask the agent to continue, or raise the limit.",
  filter:
    "The answer is incomplete: the provider's content filter stopped it. Rephrase the request, or try another model.",
};

/** The finish of a recorded run's last root step, and the note for clients without such a finish. Undefined for a complete answer. */
export const endingOf = (entries: readonly Entry[]): { readonly finish: string; readonly note: string | undefined } => {
  const last = entries.findLast(({ event }) => event.type === "step-end" && event.agent === undefined)?.event;
  const finish = last?.type === "step-end" ? last.finish : "stop";
  return { finish, note: NOTES[finish] };
};
