import type { Event, Usage } from "../events.ts";
import { priced, type Prices } from "../prices.ts";
import { RunModels } from "../run-models.ts";
import { addUsage } from "../state.ts";

/** Adds the cost to usage that a source reports without one, once, before it is stored. Later prices do not change it. */
export class Costs {
  readonly #prices: Prices | undefined;
  readonly #models = new RunModels();
  /** What the steps used, by sub-agent. The key of the whole run is undefined. */
  readonly #steps = new Map<string | undefined, Usage>();

  constructor(prices: Prices | undefined) {
    this.#prices = prices;
  }

  /** The event of a source with the cost of its usage: by its model's price, or the sum of its steps. */
  add<Of extends Event>(event: Of): Of {
    if (!("usage" in event) || !event.usage || event.usage.cost !== undefined) return event;
    const { agent } = event;
    const steps = event.type === "step-end" ? undefined : this.#steps.get(agent);
    const usage = steps
      ? { ...event.usage, ...(steps.cost !== undefined && { cost: steps.cost }) }
      : priced(event.usage, this.#prices, this.#models.of(event));
    return { ...event, usage };
  }

  /** The usage of all steps. */
  get used(): Usage | undefined {
    return this.#steps.get(undefined);
  }

  /** Takes an event that is stored. */
  observe(event: Event): void {
    this.#models.observe(event);
    if (event.type === "agent-end") this.#steps.delete(event.agent);
    if (event.type !== "step-end" || !event.usage) return;
    for (const agent of new Set([event.agent, undefined]))
      this.#steps.set(agent, addUsage(this.#steps.get(agent) ?? {}, event.usage));
  }
}
