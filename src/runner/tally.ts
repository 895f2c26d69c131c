import type { Event, EventOf, Usage } from "../events.ts";
import { addUsage } from "../state.ts";

/** What run-end sums up: usage over all agents, and which parts are the answer (those of the last root step without calls). */
export interface Tally {
  observe(event: Event): void;
  summary(
    said: EventOf<"run-end"> | undefined,
    isDone: boolean,
  ): Pick<EventOf<"run-end">, "usage" | "answer" | "awaiting">;
}

export const createTally = (): Tally => {
  let usage: Usage = {};
  let step: { parts: string[]; calls: number } = { parts: [], calls: 0 };
  let answer: string[] = [];
  return {
    observe(event) {
      if (event.type === "step-end") {
        usage = addUsage(usage, event.usage);
        if (event.agent === undefined && step.calls === 0) answer = step.parts;
      } else if (event.agent !== undefined) return;
      else if (event.type === "step-start") step = { parts: [], calls: 0 };
      else if (event.type === "tool-start" && !event.provider) step.calls++;
      else if (event.type === "text-start" && event.call === undefined) {
        if (event.replaces !== undefined) step.parts = step.parts.filter((part) => part !== event.replaces);
        step.parts.push(event.part);
      }
    },
    summary(said, isDone) {
      const total = said?.usage ?? usage;
      const parts = said?.answer ?? answer;
      return {
        ...(Object.keys(total).length > 0 && { usage: total }),
        ...(isDone && parts.length > 0 && { answer: parts }),
        ...(isDone && said?.awaiting?.length && { awaiting: said.awaiting }),
      };
    },
  };
};
