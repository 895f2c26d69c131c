import { type Fields, fieldsOf } from "../../json.ts";
import type { Event, Problem, RunOutcome, Usage } from "../../events.ts";
import { splitProviderId } from "../../ids.ts";
import { Refusal } from "../../source.ts";
import { lineOf, textOf } from "../upstream/reading.ts";
import { type NewId, type OpenCall, AgentWriter } from "../upstream/agent-writer.ts";
import type { EarlierAsk } from "./pause.ts";

/** A nested run: a team's member, or an agent of a workflow's step. */
interface Member {
  readonly run: string;
  readonly writer: AgentWriter;
  readonly parent: AgentWriter;
  /** The call that started it. */
  readonly cause: OpenCall | undefined;
  isPaused: boolean;
}

const MAX_OPEN = 200;
const MAX_REMEMBERED = 5000;

/** All members of a run, by the ids of their nested runs, and the call that started each. */
export class Members {
  readonly #newId: NewId;
  readonly #root: AgentWriter;
  readonly #open = new Map<string, Member>();
  /** Calls that have started a member. */
  readonly #causes = new WeakSet<OpenCall>();
  readonly #ended = new Set<string>();
  /** Ended calls by agent and key, and whether the last call of each agent was a thinking tool. */
  readonly #over = new Map<string, OpenCall>();
  readonly #lastCall = new Map<AgentWriter, "thought" | "other">();
  /** Calls whose members wait for the user, and what those members have answered so far. */
  readonly #held = new Map<OpenCall, string[]>();

  constructor(newId: NewId, root: AgentWriter) {
    this.#newId = newId;
    this.#root = root;
  }

  writers(): AgentWriter[] {
    return [this.#root, ...[...this.#open.values()].map(({ writer }) => writer)];
  }

  hasEnded(run: string): boolean {
    return this.#ended.has(run);
  }

  /** The member with this run. It starts with its first event. */
  find(run: string, fields: Fields): { readonly writer: AgentWriter; readonly events: Event[] } {
    const known = this.#open.get(run);
    if (known) return { writer: known.writer, events: [] };
    if (this.#open.size >= MAX_OPEN)
      throw new Refusal("upstream-invalid", `The server has more than ${MAX_OPEN} running members.`, { status: 502 });
    const parent = this.#open.get(textOf(fields["parent_run_id"]) ?? "")?.writer ?? this.#root;
    const events = parent.settle();
    const id = lineOf(fields["agent_id"], 200) ?? lineOf(fields["team_id"], 200);
    const cause = this.#causeOf(parent, id);
    if (cause) this.#causes.add(cause);
    const writer = new AgentWriter(this.#newId("agent"), this.#newId);
    this.#open.set(run, { run, writer, parent, cause, isPaused: false });
    const task = lineOf(fieldsOf(cause?.input)["task"], 2000) ?? lineOf(fields["step_name"], 200);
    const model = lineOf(fields["model"], 200);
    events.push({
      type: "agent-start",
      agent: writer.agent!,
      name: lineOf(fields["agent_name"], 200) ?? lineOf(fields["team_name"], 200) ?? id ?? "member",
      ...(parent.agent !== undefined && { parent: parent.agent }),
      ...(cause && { call: cause.id }),
      ...(task !== undefined && { task }),
      ...(model !== undefined && { model }),
      meta: { agno: { run: run.slice(0, 200) } },
    });
    return { writer, events };
  }

  /**
   * The oldest call for this member that has not started another run. The run id that Agno puts into the call is wrong
   * when two of them run concurrently.
   */
  #causeOf(parent: AgentWriter, id: string | undefined): OpenCall | undefined {
    const calls = [...parent.calls.values()].filter(({ name, isExecuting }) => isExecuting && isDelegate(name));
    const named = calls.filter(({ input }) => fieldsOf(input)["member_id"] === id);
    const unnamed = calls.find(({ input }) => fieldsOf(input)["member_id"] === undefined);
    return named.find((call) => !this.#causes.has(call)) ?? unnamed ?? named[0];
  }

  isCause(call: OpenCall): boolean {
    return isDelegate(call.name);
  }

  paused(writer: AgentWriter): void {
    for (const member of this.#open.values()) if (member.writer === writer) member.isPaused = true;
  }

  /** Whether this call has not really ended yet, because a member that it started waits for the user. */
  holdsBack(call: OpenCall): boolean {
    const isHeld = [...this.#open.values()].some(({ cause, isPaused }) => cause === call && isPaused);
    if (isHeld && !this.#held.has(call)) this.#held.set(call, []);
    return isHeld;
  }

  callEnded(writer: AgentWriter, call: OpenCall, isThought: boolean): void {
    this.#over.set(keyOf(writer, call.key), call);
    if (this.#over.size > MAX_REMEMBERED) this.#over.delete(this.#over.keys().next().value!);
    this.#lastCall.set(writer, isThought ? "thought" : "other");
  }

  isOver(writer: AgentWriter, key: string): boolean {
    return this.#over.has(keyOf(writer, key));
  }

  overCall(writer: AgentWriter, key: string): OpenCall | undefined {
    return this.#over.get(keyOf(writer, key));
  }

  lastCall(writer: AgentWriter): "thought" | "other" | undefined {
    return this.#lastCall.get(writer);
  }

  end(
    writer: AgentWriter,
    outcome: RunOutcome,
    fields: Fields,
    { usage, error }: { usage?: Usage | undefined; error?: Problem | undefined } = {},
  ): Event[] {
    const member = [...this.#open.values()].find((one) => one.writer === writer);
    if (!member) return [];
    const events = [...this.#open.values()]
      .filter(({ parent }) => parent === writer)
      .flatMap((child) => this.end(child.writer, "interrupted", {}));
    events.push(...(outcome === "done" ? writer.settle() : []));
    events.push(...writer.close(outcome === "done" ? "interrupted" : outcome));
    this.#open.delete(member.run);
    this.#lastCall.delete(writer);
    this.#ended.add(member.run);
    if (this.#ended.size > MAX_REMEMBERED) this.#ended.delete(this.#ended.values().next().value!);
    const facts = { ...(error && { error }), ...(usage && { usage }) };
    events.push({ type: "agent-end", agent: writer.agent!, outcome, ...facts });
    return [...events, ...this.#release(member, textOf(fields["content"]))];
  }

  closeAll(outcome: "cancelled" | "error" | "interrupted"): Event[] {
    const isTop = ({ parent }: Member): boolean => parent === this.#root;
    const members = [...this.#open.values()].filter(isTop).flatMap(({ writer }) => this.end(writer, outcome, {}));
    return [...members, ...this.#root.close(outcome)];
  }

  /** Restores the members and calls from a log. Returns the asks about calls. */
  restore(log: readonly Event[]): { readonly asks: ReadonlyMap<string, EarlierAsk> } {
    const writers = new Map<string | undefined, AgentWriter>([[undefined, this.#root]]);
    const asks = new Map<string, EarlierAsk>();
    for (const event of log) {
      const writer = writers.get(event.agent) ?? this.#root;
      const call = "call" in event ? [...writer.calls.values()].find(({ id }) => id === event.call) : undefined;
      switch (event.type) {
        case "agent-start": {
          const run = textOf(fieldsOf(fieldsOf(event.meta)["agno"])["run"]) ?? event.agent;
          const own = new AgentWriter(event.agent, this.#newId);
          const parent = writers.get(event.parent) ?? this.#root;
          const cause = [...parent.calls.values()].find(({ id }) => id === event.call);
          if (cause) this.#causes.add(cause);
          writers.set(event.agent, own);
          this.#open.set(run, { run, writer: own, parent, cause, isPaused: false });
          break;
        }
        case "agent-end":
          for (const [run, { writer: ended }] of this.#open)
            if (ended === writer && this.#open.delete(run)) this.#ended.add(run);
          break;
        case "tool-start":
          writer.adopt(event.call, splitProviderId(event.meta).id ?? event.call, event.name);
          break;
        case "tool-input-end":
          if (call) call.input = event.input;
          break;
        case "tool-execute":
          if (call) call.isExecuting = true;
          break;
        case "tool-end":
          if (call && writer.calls.delete(call.key)) this.callEnded(writer, call, false);
          break;
        case "ask-start": {
          const about = textOf(fieldsOf(fieldsOf(event.meta)["agno"])["call"]);
          if (about !== undefined) asks.set(about, { ask: event.ask });
          break;
        }
        case "ask-end":
          for (const [about, { ask }] of asks)
            if (ask === event.ask && event.outcome === "interrupted") asks.delete(about);
            else if (ask === event.ask) asks.set(about, { ask, end: { answer: event.answer } });
      }
    }
    return { asks };
  }

  /** Ends a call that was held back when the last of its members has ended. */
  #release({ cause, parent }: Member, content: string | undefined): Event[] {
    const texts = cause && this.#held.get(cause);
    if (!texts) return [];
    if (content) texts.push(content);
    if ([...this.#open.values()].some((one) => one.cause === cause)) return [];
    this.#held.delete(cause);
    this.callEnded(parent, cause, false);
    return parent.endCall(cause, "ok", { content: texts.map((text) => ({ type: "text", text })) });
  }
}

const isDelegate = (name: string): boolean => /^delegate_task_to_members?$/.test(name);

const keyOf = ({ agent }: AgentWriter, key: string): string => `${agent ?? ""} ${key}`;
