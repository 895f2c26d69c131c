import { fieldsOf } from "../../json.ts";
import type { Answer, Event, Finish, Json } from "../../events.ts";
import { type OpenAsk, formAsk, permissionAsk } from "./asks.ts";
import { type Exit, blockText, mediaText } from "./call-content.ts";
import type { Call, Workspace } from "./call.ts";
import { Calls } from "./calls.ts";
import { lineOf, textOf } from "../upstream/reading.ts";
import { slotOf } from "./slots.ts";
import { type NewId, AgentWriter } from "./agent-writer.ts";
import { SubAgents } from "./sub-agents.ts";
import { usageOf } from "./usage.ts";

export interface DecoderOptions {
  readonly newId: NewId;
  readonly workspace?: Workspace;
}

/**
 * Converts what an agent sends during one prompt into events of the run. It has no timer, process or connection; its
 * owner reports what happened. It throws only Refusals, for any input.
 */
export class Decoder {
  readonly #newId: NewId;
  readonly #calls: Calls;
  readonly #root: AgentWriter;
  readonly #subAgents: SubAgents;
  readonly #asks = new Map<string, OpenAsk>();
  readonly #denied = new Set<string>();
  #hasText = false;
  #isCancelled = false;

  constructor({ newId, workspace = { relative: (path) => path, lineOf: () => undefined } }: DecoderOptions) {
    this.#newId = newId;
    this.#calls = new Calls(newId, workspace);
    this.#root = new AgentWriter(undefined, newId);
    this.#subAgents = new SubAgents(newId, this.#calls);
  }

  /** The `update` of a `session/update`. */
  update(value: unknown): Event[] {
    const update = fieldsOf(value);
    switch (update["sessionUpdate"]) {
      case "agent_message_chunk":
        return this.#chunk("text", update);
      case "agent_thought_chunk":
        return this.#chunk("thinking", update);
      case "tool_call":
      case "tool_call_update":
        return this.#toolCall(update);
      default:
        return slotOf(update);
    }
  }

  /** A `session/request_permission`. Pass its answer to `answered`. */
  permission(value: unknown): { readonly ask: string; readonly events: Event[] } {
    const params = fieldsOf(value);
    const { rawInput, ...toolCall } = fieldsOf(params["toolCall"]);
    const key = textOf(toolCall["toolCallId"]);
    // Some agents show something other than the arguments here. Keep the known arguments.
    const isKnown = key !== undefined && this.#calls.get(key)?.input !== undefined;
    const { call, events } =
      key === undefined ? nothing : this.#see(key, isKnown ? toolCall : { ...toolCall, rawInput });
    const ask = this.#newId("ask");
    if (call) events.push(...call.ready());
    const { open, event } = permissionAsk(ask, call, params);
    if (call?.state === "pending") call.isBarred = true;
    return this.#open(open, [...events, event]);
  }

  /** An `elicitation/create` with a form. A call that asks is executing. */
  form(value: unknown): { readonly ask: string; readonly events: Event[] } {
    const params = fieldsOf(value);
    const key = textOf(params["toolCallId"]);
    const named = key === undefined ? undefined : this.#calls.get(key);
    const events = named?.execute() ?? [];
    const { open, event } = formAsk(this.#newId("ask"), named?.state === "executing" ? named : undefined, params);
    return this.#open(open, [...events, event]);
  }

  /** The user has answered, or (undefined) no answer will come. The ask-end is already in the log. */
  answered(ask: string, answer: Answer | undefined): { readonly reply: Json | undefined; readonly events: Event[] } {
    const open = this.#close(ask);
    if (!open) return { reply: undefined, events: [] };
    const reply = open.reply(answer);
    const { call } = open;
    if (!call || !open.isPermission || call.state === "ended") return { reply, events: [] };
    if (answer?.allow === true) {
      call.isBarred = call.asks.size > 0;
      return { reply, events: call.execute() };
    }
    if (this.#isCancelled) return { reply, events: [] };
    this.#denied.add(call.key);
    return { reply, events: this.#calls.deny(call) };
  }

  /** The agent no longer wants an answer. */
  withdrawn(ask: string): Event[] {
    const open = this.#close(ask);
    const end: Event = { type: "ask-end", ask, outcome: "cancelled" };
    return open ? [open.call ? open.call.event(end) : end] : [];
  }

  /** Output of a terminal that the client runs for the agent. */
  terminal(id: string, piece: string, exit?: Exit): Event[] {
    return this.#calls.terminal(id, piece, exit);
  }

  /** The client's terminal in which this call runs. */
  terminalOf(call: string): string | undefined {
    return this.#calls.terminalOf(call);
  }

  /** Whether ticks are needed: a call is in progress, but may still request permission. */
  get isHolding(): boolean {
    return this.#calls.anyHeld;
  }

  /** Call periodically while `isHolding`. */
  tick(): Event[] {
    return this.#calls.tick();
  }

  /** The user has stopped the run. From now on, no call completes. */
  cancel(): void {
    this.#isCancelled = this.#calls.isCancelled = true;
  }

  /** The prompt is finished. Closes everything open. */
  end(result: unknown): Event[] {
    const { stopReason } = fieldsOf(result);
    const isCancelled = this.#isCancelled || stopReason === "cancelled";
    const finish: Finish = this.#isCancelled ? "cancelled" : (FINISHES.get(textOf(stopReason)) ?? "other");
    const usage = usageOf(result);
    const asks = [...this.#asks.keys()].flatMap((ask) => this.withdrawn(ask));
    const events = [...asks, ...this.#calls.endAll(isCancelled ? "cancelled" : "interrupted")];
    events.push(...this.#subAgents.end(isCancelled), ...this.#root.endStep(finish));
    if (this.#isCancelled) return [...events, { type: "run-end", outcome: "cancelled", ...usage }];
    if (stopReason === "max_turn_requests")
      events.push({ type: "notice", level: "warning", text: "The agent reached its limit of model requests." });
    if (stopReason === "end_turn" && !this.#hasText && this.#calls.count === 0)
      return [...events, { type: "run-end", outcome: "error", error: NO_ANSWER, ...usage }];
    return [...events, { type: "run-end", outcome: "done", ...usage }];
  }

  #chunk(kind: "text" | "thinking", update: Readonly<Record<string, unknown>>): Event[] {
    const text = blockText(update["content"]) ?? mediaText(update["content"]) ?? "";
    const { writer, events } = this.#subAgents.writerOf(update, this.#root);
    if (kind === "text" && writer === this.#root && text.trim() !== "") this.#hasText = true;
    return [...events, ...writer.chunk(kind, text, textOf(update["messageId"]))];
  }

  #toolCall(update: Readonly<Record<string, unknown>>): Event[] {
    const key = textOf(update["toolCallId"]);
    if (key === undefined || key === "") return [];
    if (this.#calls.hasEnded(key)) return this.#afterEnd(key, update);
    const { call, events } = this.#see(key, update);
    return [...events, ...this.#calls.progress(call, update)];
  }

  #see(key: string, fields: Readonly<Record<string, unknown>>): { readonly call: Call; readonly events: Event[] } {
    const { writer, events } = this.#subAgents.writerOf(fields, this.#root);
    const seen = this.#calls.see(key, fields, writer);
    return { call: seen.call, events: [...events, ...seen.events] };
  }

  /** Ignores updates of ended calls, but reports a call that ran although it was denied. */
  #afterEnd(key: string, update: Readonly<Record<string, unknown>>): Event[] {
    if (update["status"] !== "completed" || !this.#denied.delete(key)) return [];
    const title = lineOf(update["title"]) ?? "a call";
    return [{ type: "notice", level: "warning", text: `The agent reports that it ran ${title}, which was denied.` }];
  }

  #open(open: OpenAsk, events: Event[]): { readonly ask: string; readonly events: Event[] } {
    this.#asks.set(open.ask, open);
    open.call?.asks.add(open.ask);
    return { ask: open.ask, events };
  }

  /** Removes and returns the ask, unless it ended with its call. */
  #close(ask: string): OpenAsk | undefined {
    const open = this.#asks.get(ask);
    this.#asks.delete(ask);
    return !open?.call || open.call.asks.delete(ask) ? open : undefined;
  }
}

const nothing: { readonly call: undefined; readonly events: Event[] } = { call: undefined, events: [] };

const FINISHES: ReadonlyMap<string | undefined, Finish> = new Map([
  ["end_turn", "stop"],
  ["max_tokens", "length"],
  ["refusal", "filter"],
  ["cancelled", "stop"],
]);

const NO_ANSWER = {
  code: "empty-answer",
  message: "The agent ended its turn without an answer.",
  hint: "The agent may have failed to reach its model. Check its login and settings.",
  retryable: true,
};
