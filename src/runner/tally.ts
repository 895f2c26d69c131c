import type { Event, EventOf, Usage } from "../events.ts";
import type { EventsAbout } from "../protocol.ts";

type Summary = Pick<EventOf<"run-end">, "usage" | "answer" | "awaiting">;

/** The summary for run-end: usage of all agents, and the parts that make up the answer (those of the last root step without calls). */
export class Tally {
  #parts: string[] | undefined;
  #calls = 0;
  #answer: readonly string[] | undefined;

  observe(event: Event): void {
    if (event.type === "step-end") {
      if (event.agent === undefined && this.#calls === 0) this.#answer = this.#parts;
    } else if (event.agent !== undefined) return;
    else if (event.type === "step-start") {
      this.#parts = undefined;
      this.#calls = 0;
    } else if (event.type === "tool-start" && !event.provider && event.repeats === undefined) this.#calls++;
    else if (event.type === "text-start" && event.call === undefined) {
      const parts = (this.#parts ?? []).filter((part) => part !== event.replaces);
      this.#parts = [...parts, event.part];
    } else event satisfies EventsAbout;
  }

  /** `used` is the usage of all steps. */
  summary(sourced: EventOf<"run-end"> | undefined, isDone: boolean, used: Usage = {}): Summary {
    const total = sourced?.usage ?? used;
    const parts = sourced?.answer ?? this.#answer ?? [];
    return {
      ...(Object.keys(total).length > 0 && { usage: total }),
      ...(isDone && parts.length > 0 && { answer: [...parts] }),
      ...(isDone && sourced?.awaiting?.length && { awaiting: sourced.awaiting }),
    };
  }
}
