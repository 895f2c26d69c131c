import type { Event } from "../events.ts";
import { ID_FIELDS, type IdKind } from "../id-fields.ts";
import type { Verifier } from "../verify.ts";

const STARTED = {
  "text-start": "part",
  "thinking-start": "part",
  "tool-start": "call",
  "ask-start": "ask",
  "step-start": "step",
  "agent-start": "agent",
} as const;

/**
 * Gives ids that a source repeats a unique name in the run. (Providers count calls from zero in every response.)
 * A reference means the latest item with that id in the same agent.
 * The maps are created with the first repeated id, which few runs have.
 */
export class Renamer {
  readonly #used: Pick<Verifier, "has">;
  #aliases: Map<string, string> | undefined;
  #originals: Map<string, string> | undefined;
  #asks: Map<string, string> | undefined;

  constructor(used: Pick<Verifier, "has">) {
    this.#used = used;
  }

  rename(event: Event): Event {
    const field = STARTED[event.type as keyof typeof STARTED] as IdKind | undefined;
    if (field) this.#claim(event, field);
    return this.#aliases?.size ? this.#refer(event) : event;
  }

  /** The source's id for the item that the log calls `id`. */
  original(id: string): string {
    return this.#originals?.get(id) ?? id;
  }

  /** The log's id for the latest ask with this source id, in any agent. */
  latestAsk(id: string): string {
    return this.#asks?.get(id) ?? id;
  }

  /** From now on the id refers to this item. */
  #claim(event: Event, field: IdKind): void {
    const id = (event as unknown as Record<IdKind, string>)[field];
    if (field === "ask") this.#asks?.delete(id);
    if (!this.#used.has(id)) return void this.#aliases?.delete(key(field, event.agent, id));
    let number = 2;
    while (this.#used.has(`${id}~${number}`)) number++;
    (this.#aliases ??= new Map()).set(key(field, event.agent, id), `${id}~${number}`);
    (this.#originals ??= new Map()).set(`${id}~${number}`, id);
    if (field === "ask") (this.#asks ??= new Map()).set(id, `${id}~${number}`);
  }

  #refer(event: Event): Event {
    const changed = { ...event } as Record<string, unknown>;
    const scope = event.type === "agent-start" ? event.parent : event.agent;
    for (const [name, kind] of Object.entries(ID_FIELDS)) {
      const id = changed[name];
      if (typeof id === "string") changed[name] = this.#alias(kind, scope, id);
    }
    if (event.type === "run-end") {
      changed.answer = event.answer?.map((id) => this.#alias("part", undefined, id));
      changed.awaiting = event.awaiting?.map((id) => this.#alias("call", undefined, id));
    }
    return changed as Event;
  }

  #alias(field: IdKind, agent: string | undefined, id: string): string {
    return this.#aliases?.get(key(field, agent, id)) ?? id;
  }
}

const key = (field: IdKind, agent: string | undefined, id: string): string =>
  field === "agent" ? `agent ${id}` : `${field} ${agent ?? ""} ${id}`;
