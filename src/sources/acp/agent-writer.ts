import type { Event, Finish } from "../../events.ts";

/** Creates ids. Those of calls and asks must be unique across runs. */
export type NewId = (kind: "step" | "part" | "call" | "ask" | "agent") => string;

interface OpenPart {
  readonly id: string;
  readonly kind: "text" | "thinking";
  readonly message: string | undefined;
}

/**
 * The steps and parts of one agent: the root, or a sub-agent. The protocol has no steps, so a step begins with the
 * first text or call, and ends when text follows calls that are over, because that text is the model's next response.
 */
export class AgentWriter {
  readonly agent: string | undefined;
  readonly #newId: NewId;
  #step: string | undefined;
  #part: OpenPart | undefined;
  #hasCalls = false;
  #openCalls = 0;

  constructor(agent: string | undefined, newId: NewId) {
    this.agent = agent;
    this.#newId = newId;
  }

  /** Adds text. It continues the last part unless its kind or message differs. */
  chunk(kind: OpenPart["kind"], delta: string, message: string | undefined): Event[] {
    if (delta === "") return [];
    const events: Event[] = [];
    if (this.#part && (this.#part.kind !== kind || this.#part.message !== message)) events.push(...this.#endPart());
    if (!this.#part) {
      if (this.#hasCalls && this.#openCalls === 0) events.push(...this.endStep("tools"));
      this.#part = { id: this.#newId("part"), kind, message };
      events.push(...this.#startStep(), this.#own({ type: `${kind}-start`, part: this.#part.id }));
    }
    events.push(this.#own({ type: `${kind}-delta`, part: this.#part.id, delta }));
    return events;
  }

  /** Prepares for a call. */
  startCall(): Event[] {
    const events = [...this.#endPart(), ...this.#startStep()];
    this.#hasCalls = true;
    this.#openCalls++;
    return events;
  }

  endCall(): void {
    this.#openCalls--;
  }

  endStep(finish: Finish): Event[] {
    if (this.#step === undefined) return [];
    const events = [...this.#endPart(), this.#own({ type: "step-end", step: this.#step, finish })];
    this.#step = undefined;
    return events;
  }

  #startStep(): Event[] {
    if (this.#step !== undefined) return [];
    this.#step = this.#newId("step");
    this.#hasCalls = false;
    return [this.#own({ type: "step-start", step: this.#step })];
  }

  #endPart(): Event[] {
    if (!this.#part) return [];
    const { id, kind } = this.#part;
    this.#part = undefined;
    return [this.#own({ type: `${kind}-end`, part: id })];
  }

  #own(event: Event): Event {
    return this.agent === undefined ? event : { ...event, agent: this.agent };
  }
}
