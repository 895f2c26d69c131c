import type { Entry } from "../../src/events.ts";

const NOTES: Readonly<Record<string, string>> = {
  length:
    "The answer is incomplete: the model reached its limit on output tokens. Ask the agent to continue, or raise the limit.",
  filter: "The answer is incomplete: the provider's content filter stopped it. Rephrase the request and try again.",
};

/** How the root's last step of a recorded run ended, and what clients that know no such end are told; undefined if the answer is whole. */
export const endingOf = (entries: readonly Entry[]): { readonly finish: string; readonly note: string | undefined } => {
  const last = entries.findLast(({ event }) => event.type === "step-end" && event.agent === undefined)?.event;
  const finish = last?.type === "step-end" ? last.finish : "stop";
  return { finish, note: NOTES[finish] };
};
