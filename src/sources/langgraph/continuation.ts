import type { Event } from "../../events.ts";
import { parseJson } from "../../json.ts";
import { type Earlier, type PastCall, markOf } from "./past.ts";

/**
 * Continues a log that another process began. Reads the run again from its start, which produces the same events. Drops
 * those that are in the log, and continues open items with the others. Items that were cut when that process ended
 * begin again: a part and its step under new ids, and a call as a repeat.
 */
export class Continuation {
  readonly #earlier: Earlier;
  readonly #suffix: string;
  #isReached: boolean;
  #deltasLeft: number;
  /** The current step of each agent, by the ids of the first reading. */
  readonly #steps = new Map<string | undefined, string>();
  readonly #parts = new Map<string, Event & { type: "text-start" | "thinking-start" }>();
  /** New ids of parts and steps that began again. */
  readonly #renamed = new Map<string, string>();

  constructor(earlier: Earlier) {
    this.#earlier = earlier;
    this.#suffix = `_r${earlier.seq}`;
    this.#isReached = earlier.mark === undefined;
    this.#deltasLeft = earlier.deltas;
  }

  /** Whether the log has this event. */
  has(event: Event): boolean {
    const mark = markOf(event);
    if (!this.#isReached) {
      const { mark: last } = this.#earlier;
      if (mark && last && mark[0] === last[0] && mark[1] === last[1]) this.#isReached = true;
      return true;
    }
    return !mark && "delta" in event && this.#deltasLeft > 0 && this.#deltasLeft-- > 0;
  }

  pass(events: readonly Event[]): Event[] {
    return events.flatMap((event) => {
      const isOld = this.has(event);
      if (event.type === "step-start") this.#steps.set(event.agent, event.step);
      if (event.type === "text-start" || event.type === "thinking-start") this.#parts.set(event.part, event);
      return isOld ? [] : this.#continued(event);
    });
  }

  /** The current id of an ask, and the events that reopen it if it was interrupted. */
  ask(first: string): { readonly id: string; readonly events: Event[] } {
    const known = this.#earlier.asks.get(first);
    if (!known?.isInterrupted) return { id: known?.id ?? first, events: [] };
    known.id = first + this.#suffix;
    known.isInterrupted = false;
    const { start } = known;
    const call = start.call === undefined ? undefined : this.#call(start.call);
    const events = call?.outcome === "interrupted" ? this.#repeat(call, call.isExecuting) : [];
    const again = { ...start, ask: known.id, meta: { langgraph: { ask: first } }, ...(call && { call: call.id }) };
    return { id: known.id, events: [...events, again] };
  }

  #continued(event: Event): Event[] {
    switch (event.type) {
      case "text-start":
      case "thinking-start":
      case "tool-start":
        return [...this.#step(event.agent), event];
      case "text-delta":
      case "thinking-delta":
        return this.#partDelta(event);
      case "text-end":
      case "thinking-end":
        return this.#isCut(event.part) ? this.#renamedOnly(event, "part") : [event];
      case "step-end":
        return this.#isCut(event.step) ? this.#renamedOnly(event, "step") : [event];
      default:
        return "call" in event && event.call !== undefined ? this.#ofCall(event) : [event];
    }
  }

  #isCut(id: string): boolean {
    return this.#earlier.ended.has(id);
  }

  /** The end of an item that began again. Empty if it did not, because its end is already in the log. */
  #renamedOnly<Of extends Event>(event: Of, field: "part" | "step"): Event[] {
    const first = (event as unknown as Record<string, string>)[field]!;
    const id = this.#renamed.get(first);
    this.#renamed.delete(first);
    return id === undefined ? [] : [{ ...event, [field]: id }];
  }

  #step(agent: string | undefined): Event[] {
    const step = this.#steps.get(agent);
    if (step === undefined || !this.#isCut(step) || this.#renamed.has(step)) return [];
    const id = step + this.#suffix;
    this.#renamed.set(step, id);
    return [{ type: "step-start", step: id, ...(agent !== undefined && { agent }) }];
  }

  #partDelta(event: Event & { type: "text-delta" | "thinking-delta" }): Event[] {
    if (!this.#isCut(event.part)) return [event];
    const known = this.#renamed.get(event.part);
    if (known !== undefined) return [{ ...event, part: known }];
    const part = event.part + this.#suffix;
    this.#renamed.set(event.part, part);
    const { meta: _, ...start } = this.#parts.get(event.part)!;
    return [...this.#step(event.agent), { ...start, part }, { ...event, part }];
  }

  #call(id: string): PastCall | undefined {
    return this.#earlier.calls.get(id);
  }

  #ofCall(event: Event & { call?: string | undefined }): Event[] {
    const call = this.#call(event.call!);
    if (!call) return [event];
    if (call.outcome !== undefined && call.outcome !== "interrupted") return [];
    const mustExecute = call.isExecuting || event.type === "agent-start" || event.type === "tool-output-delta";
    const before = call.outcome === undefined ? [] : this.#repeat(call, mustExecute && event.type !== "tool-execute");
    if (event.type === "tool-end") call.outcome = event.outcome;
    return [...before, { ...event, call: call.id } as Event];
  }

  /** Repeats an interrupted call up to the point that it had reached. */
  #repeat(call: PastCall, isExecuting: boolean): Event[] {
    const { start, text, hasInput, id: before } = call;
    const { agent } = start;
    const own = agent === undefined ? {} : { agent };
    call.id = start.call + this.#suffix;
    call.outcome = undefined;
    const { meta, ...fields } = start;
    const kept = typeof meta === "object" && meta !== null && !Array.isArray(meta) ? meta : {};
    const { langgraph: _, ...rest } = kept;
    const input = call.input ?? (text === "" ? undefined : parseJson(text));
    const events: Event[] = [{ ...fields, call: call.id, repeats: before, meta: rest }];
    if (hasInput) events.push({ type: "tool-input-end", call: call.id, ...own, ...(input !== undefined && { input }) });
    else if (text !== "")
      events.push({
        type: "tool-input-delta",
        call: call.id,
        delta: text,
        ...own,
        meta: { langgraph: { isAdded: true } },
      });
    if (isExecuting && hasInput) events.push({ type: "tool-execute", call: call.id, ...own });
    return events;
  }
}
