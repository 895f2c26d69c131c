import type { Fields } from "../../json.ts";
import type { Event, Problem } from "../../events.ts";
import { Refusal } from "../../source.ts";
import { type Exit, outputOf } from "./call-content.ts";
import { Call, type Workspace } from "./call.ts";
import { textOf } from "../upstream/reading.ts";
import type { NewId, AgentWriter } from "./agent-writer.ts";

/** More than any agent runs concurrently. */
const MAX_OPEN = 500;
const MAX_WAITING_OUTPUT = 256 * 1024;
/** A permission request may come up to a second after `in_progress`. After this many ticks without one, the call counts as executing. */
const TICKS = 2;

/** The calls of a run. Any message may be the first to name a call: a start, an update, or a permission request. */
export class Calls {
  readonly #newId: NewId;
  readonly #workspace: Workspace;
  readonly #open = new Map<string, Call>();
  readonly #ended = new Set<string>();
  /** Terminals, with output that no call has claimed yet. */
  readonly #terminals = new Map<string, { text: string; exit: Exit | undefined; call: Call | undefined }>();
  isCancelled = false;
  count = 0;

  constructor(newId: NewId, workspace: Workspace) {
    this.#newId = newId;
    this.#workspace = workspace;
  }

  get(key: string): Call | undefined {
    return this.#open.get(key);
  }

  hasEnded(key: string): boolean {
    return this.#ended.has(key);
  }

  terminalOf(id: string): string | undefined {
    return [...this.#terminals].find(([, { call }]) => call?.id === id)?.[0];
  }

  /** Whether a call is in progress without evidence that it executes. */
  get anyHeld(): boolean {
    return [...this.#open.values()].some(({ isHeld, isBarred }) => isHeld && !isBarred);
  }

  /** Finds or starts the call that these fields describe, and applies them. */
  see(key: string, fields: Fields, writer: AgentWriter): { readonly call: Call; readonly events: Event[] } {
    const known = this.#open.get(key);
    if (known) return { call: known, events: known.absorb(fields) };
    if (this.#open.size >= MAX_OPEN)
      throw new Refusal("agent-invalid", `The agent has more than ${MAX_OPEN} tool calls open.`, { status: 502 });
    const call = new Call({ id: this.#newId("call"), key }, writer, fields, this.#workspace);
    this.#open.set(key, call);
    this.count++;
    return { call, events: [...call.start(), ...call.absorb(fields)] };
  }

  /** Applies the status and output in an update. */
  progress(call: Call, fields: Fields): Event[] {
    const events = this.#link(call);
    const piece = outputOf(fields["_meta"]);
    if (piece) events.push(...this.#output(call, piece));
    const status = textOf(fields["status"]);
    if (status === "completed") return [...events, ...this.end(call)];
    if (status === "failed") return [...events, ...this.#fail(call)];
    if (status === "in_progress" && call.state === "pending") call.isHeld = true;
    if (call.kind !== "execute" || call.content.text === "" || (call.state === "pending" && !call.isHeld))
      return events;
    const next = call.output.replace(call.content.text);
    events.push(...call.execute());
    if (call.state !== "executing") return events;
    if (next === undefined) {
      const value = call.content.text.slice(-4000);
      events.push(call.event({ type: "tool-progress", call: call.id, value }));
    } else if (next !== "") events.push(this.#piece(call, next));
    return events;
  }

  end(call: Call): Event[] {
    const { exitCode, signal } = call.exit ?? {};
    if (this.isCancelled) return this.#end(call, "cancelled");
    // Some agents report a command as completed even if its exit code is not zero.
    return exitCode || signal ? this.#end(call, "error", call.problem()) : this.#end(call, "ok");
  }

  #fail(call: Call): Event[] {
    return this.isCancelled ? this.#end(call, "cancelled") : this.#end(call, "error", call.problem());
  }

  deny(call: Call): Event[] {
    const error = { code: "denied", message: "The user denied this call." };
    // A denial cannot undo a call that is already running.
    return call.state === "executing" ? this.#end(call, "error", error) : this.#end(call, "denied", error);
  }

  /** Ends the calls that the agent left open. */
  endAll(outcome: "cancelled" | "interrupted"): Event[] {
    return [...this.#open.values()].reverse().flatMap((call) => this.#end(call, outcome));
  }

  /** Output of one of our terminals. */
  terminal(id: string, piece: string, exit?: Exit): Event[] {
    const terminal = this.#terminals.get(id) ?? { text: "", exit: undefined, call: undefined };
    this.#terminals.set(id, terminal);
    terminal.exit = exit ?? terminal.exit;
    terminal.call ??= this.#namedBy(id) ?? this.#onlyCommand();
    if (terminal.call) {
      const { call } = terminal;
      if (call.state === "ended") return [];
      call.exit = terminal.exit ?? call.exit;
      const text = terminal.text + piece;
      terminal.text = "";
      return text === "" ? [] : this.#output(call, text);
    }
    terminal.text = (terminal.text + piece).slice(-MAX_WAITING_OUTPUT);
    return [];
  }

  tick(): Event[] {
    return [...this.#open.values()].flatMap((call) =>
      call.isHeld && !call.isBarred && ++call.ticks >= TICKS ? call.execute() : [],
    );
  }

  /** Links the call to the terminals that it names. */
  #link(call: Call): Event[] {
    return call.content.terminals.flatMap((id) => {
      const terminal = this.#terminals.get(id);
      if (!terminal || terminal.call === call) return [];
      terminal.call = call;
      return this.terminal(id, "");
    });
  }

  #namedBy(terminal: string): Call | undefined {
    return [...this.#open.values()].find(({ content }) => content.terminals.includes(terminal));
  }

  /** The only running command, for agents that do not report which call a terminal belongs to. */
  #onlyCommand(): Call | undefined {
    const commands = [...this.#open.values()].filter(
      ({ kind, content }) => kind === "execute" && !content.terminals[0],
    );
    return commands.length === 1 ? commands[0] : undefined;
  }

  #output(call: Call, piece: string): Event[] {
    const shown = call.output.push(piece);
    const events = call.execute();
    return shown === "" || call.state !== "executing" ? events : [...events, this.#piece(call, shown)];
  }

  #piece(call: Call, delta: string): Event {
    return call.event({ type: "tool-output-delta", call: call.id, stream: "stdout", delta });
  }

  #end(call: Call, outcome: Parameters<Call["end"]>[0], error?: Problem): Event[] {
    this.#open.delete(call.key);
    this.#ended.add(call.key);
    return call.end(outcome, error);
  }
}
