import type { Content, Event, Json } from "../events.ts";

/** What a user who watches a run sees. Built from events, so it means the same in every dialect. */
export interface Screen {
  /** The agent's text. Text that was cut and then repeated counts once. */
  readonly text: string;
  readonly calls: readonly ScreenCall[];
  readonly asks: readonly ScreenAsk[];
  readonly agents: readonly ScreenAgent[];
  /** How the run ended, once it has. */
  readonly end: string | undefined;
  readonly problem: string | undefined;
}

export interface ScreenCall {
  readonly id: string;
  readonly name: string;
  readonly state: string;
  /** Its result or error as text. */
  readonly result: string;
  readonly file?: string;
}

export interface ScreenAsk {
  readonly id: string;
  readonly call: string | undefined;
  readonly isOpen: boolean;
}

export interface ScreenAgent {
  readonly id: string;
  readonly text: string;
  readonly isOver: boolean;
}

interface Part {
  readonly agent: string | undefined;
  text: string;
  isCut: boolean;
}
type Writable<Value> = { -readonly [Key in keyof Value]: Value[Key] };

/** Accepts events in any order, unlike the grammar. Text that arrives twice is shown twice. */
export class EventScreen implements Screen {
  readonly #parts = new Map<string, Part>();
  readonly #calls = new Map<string, Writable<ScreenCall>>();
  readonly #asks = new Map<string, Writable<ScreenAsk>>();
  readonly #agents = new Map<string, boolean>();
  end: string | undefined;
  problem: string | undefined;

  get text(): string {
    return this.#textOf(undefined);
  }
  get calls(): readonly ScreenCall[] {
    return [...this.#calls.values()];
  }
  get asks(): readonly ScreenAsk[] {
    return [...this.#asks.values()];
  }
  get agents(): readonly ScreenAgent[] {
    return [...this.#agents].map(([id, isOver]) => ({ id, isOver, text: this.#textOf(id) }));
  }

  #textOf(agent: string | undefined): string {
    let text = "";
    for (const part of this.#parts.values()) if (part.agent === agent && !part.isCut) text += part.text;
    return text;
  }

  take(event: Event): void {
    switch (event.type) {
      case "text-start":
        if (!this.#parts.has(event.part)) this.#parts.set(event.part, { agent: event.agent, text: "", isCut: false });
        break;
      case "text-delta": {
        const part = this.#parts.get(event.part);
        if (part) part.text += event.delta;
        break;
      }
      case "text-end": {
        const part = this.#parts.get(event.part);
        if (part && event.cut) part.isCut = true;
        break;
      }
      case "tool-start":
        this.#calls.set(event.call, { id: event.call, name: event.name, state: "pending", result: "" });
        break;
      case "tool-execute":
        this.#change(event.call, { state: "executing" });
        break;
      case "tool-end": {
        const file = event.content?.find((one) => one.type === "file")?.file;
        const result = event.error?.message ?? resultOf(event.content, event.value);
        this.#change(event.call, { state: event.outcome, result, ...(file !== undefined && { file }) });
        break;
      }
      case "ask-start":
        this.#asks.set(event.ask, { id: event.ask, call: event.call, isOpen: true });
        break;
      case "ask-end":
        this.#asks.get(event.ask)!.isOpen = false;
        break;
      case "agent-start":
        this.#agents.set(event.agent, false);
        break;
      case "agent-end":
        this.#agents.set(event.agent, true);
        break;
      case "run-end":
        this.end = event.outcome;
        this.problem = event.error?.message;
        break;
      default:
    }
  }

  #change(call: string, change: Partial<ScreenCall>): void {
    const known = this.#calls.get(call);
    if (known) Object.assign(known, change);
  }
}

/** Clients show a string value unchanged and any other value as JSON. */
const resultOf = (content: readonly Content[] | undefined, value: Json | undefined): string => {
  if (content !== undefined || value === undefined) return textOf(content ?? []);
  return typeof value === "string" ? value : JSON.stringify(value);
};

const textOf = (content: readonly Content[]): string =>
  content
    .map((one) => {
      if (one.type === "text") return one.text;
      return one.type === "json" ? JSON.stringify(one.value) : "";
    })
    .join("");
