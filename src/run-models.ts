import type { Event } from "./events.ts";
import type { EventsAbout } from "./protocol.ts";

/** Which model a run uses where, from its events. */
export class RunModels {
  /** By agent and open step. The key of the run's own model is undefined. */
  readonly #known = new Map<string | undefined, string>();

  observe(event: Event): void {
    if (event.type === "run-start" || event.type === "agent-start") this.#set(event.agent, event.model);
    else if (event.type === "step-start") this.#set(event.step, event.model);
    else if (event.type === "step-end") this.#known.delete(event.step);
    else if (event.type === "agent-end") this.#known.delete(event.agent);
    else event satisfies EventsAbout;
  }

  /** The model of an open step, else of its agent, else of the run. */
  of({ step, agent }: { readonly step?: string; readonly agent?: string | undefined }): string | undefined {
    const own = step === undefined ? undefined : this.#known.get(step);
    return own ?? this.#known.get(agent) ?? this.#known.get(undefined);
  }

  #set(id: string | undefined, model: string | undefined): void {
    if (model !== undefined) this.#known.set(id, model);
  }
}
