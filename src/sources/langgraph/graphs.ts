import { fieldsOf } from "../../json.ts";
import type { Event, Problem, RunOutcome } from "../../events.ts";
import { Refusal } from "../../source.ts";
import { lineOf } from "../upstream/reading.ts";
import { type NewId, type OpenCall, AgentWriter } from "../upstream/agent-writer.ts";
import type { OpenMessage } from "./messages.ts";
import { keyOf } from "./protocol.ts";

/** The root graph or the graph of a sub-agent, and its open message. */
export interface Graph {
  readonly key: string;
  readonly namespace: readonly string[];
  readonly writer: AgentWriter;
  readonly parent: Graph | undefined;
  readonly cause: OpenCall | undefined;
  message: OpenMessage | undefined;
}

const MAX_OPEN = 200;
const MAX_REMEMBERED = 5000;

/** All graphs of a run, by path. */
export class Graphs {
  readonly root: Graph;
  readonly #newId: NewId;
  readonly #open = new Map<string, Graph>();
  /** Ended calls, by LangGraph's id. */
  readonly #over = new Set<string>();

  constructor(newId: NewId) {
    this.#newId = newId;
    const writer = new AgentWriter(undefined, newId);
    this.root = { key: "", namespace: [], writer, parent: undefined, cause: undefined, message: undefined };
    this.#open.set("", this.root);
  }

  all(): Graph[] {
    return [...this.#open.values()];
  }

  get(namespace: readonly string[]): Graph | undefined {
    return this.#open.get(keyOf(namespace));
  }

  /** The graph of this path, or the nearest enclosing one. */
  around(namespace: readonly string[]): Graph {
    for (let length = namespace.length; length > 0; length--) {
      const graph = this.#open.get(keyOf(namespace.slice(0, length)));
      if (graph) return graph;
    }
    return this.root;
  }

  /** Starts a graph. After an answer, LangGraph sends its events again from the start, and the open graph continues. */
  start(namespace: readonly string[], name: string, causeKey: string | undefined): Event[] {
    const key = keyOf(namespace);
    if (this.#open.has(key)) return [];
    if (this.#open.size > MAX_OPEN)
      throw new Refusal("upstream-invalid", `The server has more than ${MAX_OPEN} running agents.`, { status: 502 });
    const parent = this.around(namespace.slice(0, -1));
    const cause = causeKey === undefined ? undefined : parent.writer.calls.get(causeKey);
    const events = cause ? parent.writer.execute(cause) : [];
    const isCause = cause?.isExecuting === true;
    const writer = new AgentWriter(this.#newId("agent"), this.#newId);
    this.#open.set(key, { key, namespace, writer, parent, cause: isCause ? cause : undefined, message: undefined });
    const task = lineOf(fieldsOf(cause?.input)["description"], 2000);
    events.push({
      type: "agent-start",
      agent: writer.agent!,
      name,
      ...(parent.writer.agent !== undefined && { parent: parent.writer.agent }),
      ...(isCause && { call: cause.id }),
      ...(task !== undefined && { task }),
    });
    return events;
  }

  end(graph: Graph, outcome: RunOutcome, error?: Problem): Event[] {
    if (graph === this.root || !this.#open.has(graph.key)) return [];
    const events = this.all()
      .filter(({ parent }) => parent === graph)
      .flatMap((child) => this.end(child, outcome === "done" ? "interrupted" : outcome));
    const { writer } = graph;
    if (outcome === "done") events.push(...writer.settle());
    events.push(...this.#close(writer, outcome === "done" ? "interrupted" : outcome));
    this.#open.delete(graph.key);
    return [...events, { type: "agent-end", agent: writer.agent!, outcome, ...(error && { error }) }];
  }

  closeAll(outcome: "cancelled" | "error" | "interrupted"): Event[] {
    const children = this.all().filter(({ parent }) => parent === this.root);
    return [...children.flatMap((graph) => this.end(graph, outcome)), ...this.#close(this.root.writer, outcome)];
  }

  #close(writer: AgentWriter, outcome: "cancelled" | "error" | "interrupted"): Event[] {
    for (const key of writer.calls.keys()) this.callEnded(key);
    return writer.close(outcome);
  }

  callEnded(key: string): void {
    this.#over.add(key);
    if (this.#over.size > MAX_REMEMBERED) this.#over.delete(this.#over.values().next().value!);
  }

  hasEnded(key: string): boolean {
    return this.#over.has(key);
  }

  /** An open call, in any graph. */
  call(key: string): OpenCall | undefined {
    for (const { writer } of this.#open.values()) {
      const call = writer.calls.get(key);
      if (call) return call;
    }
    return undefined;
  }

  /** Whether a sub-agent works for this call. */
  isCause(call: OpenCall): boolean {
    return this.all().some(({ cause }) => cause === call);
  }
}
