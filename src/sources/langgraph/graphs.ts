import { fieldsOf } from "../../json.ts";
import type { Event, Problem, RunOutcome } from "../../events.ts";
import { Refusal } from "../../source.ts";
import { lineOf } from "../upstream/reading.ts";
import { type NewId, type OpenCall, Speaker } from "../upstream/speaker.ts";
import type { OpenMessage } from "./messages.ts";
import { keyOf } from "./protocol.ts";

/** The root graph or the graph of a sub-agent, and its open message. */
export interface Graph {
  readonly key: string;
  readonly namespace: readonly string[];
  readonly speaker: Speaker;
  readonly parent: Graph | undefined;
  readonly cause: OpenCall | undefined;
  message: OpenMessage | undefined;
}

const MOST_OPEN = 200;
const MOST_REMEMBERED = 5000;

/** All graphs of a run, by path. */
export class Graphs {
  readonly root: Graph;
  readonly #newId: NewId;
  readonly #open = new Map<string, Graph>();
  /** Ended calls, by LangGraph's id. */
  readonly #over = new Set<string>();

  constructor(newId: NewId) {
    this.#newId = newId;
    const speaker = new Speaker(undefined, newId);
    this.root = { key: "", namespace: [], speaker, parent: undefined, cause: undefined, message: undefined };
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
    if (this.#open.size > MOST_OPEN)
      throw new Refusal("upstream-invalid", `The server has more than ${MOST_OPEN} agents at work.`, { status: 502 });
    const parent = this.around(namespace.slice(0, -1));
    const cause = causeKey === undefined ? undefined : parent.speaker.calls.get(causeKey);
    const events = cause ? parent.speaker.execute(cause) : [];
    const isCause = cause?.isExecuting === true;
    const speaker = new Speaker(this.#newId("agent"), this.#newId);
    this.#open.set(key, { key, namespace, speaker, parent, cause: isCause ? cause : undefined, message: undefined });
    const task = lineOf(fieldsOf(cause?.input)["description"], 2000);
    events.push({
      type: "agent-start",
      agent: speaker.agent!,
      name,
      ...(parent.speaker.agent !== undefined && { parent: parent.speaker.agent }),
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
    const { speaker } = graph;
    if (outcome === "done") events.push(...speaker.settle());
    events.push(...this.#close(speaker, outcome === "done" ? "interrupted" : outcome));
    this.#open.delete(graph.key);
    return [...events, { type: "agent-end", agent: speaker.agent!, outcome, ...(error && { error }) }];
  }

  closeAll(outcome: "cancelled" | "error" | "interrupted"): Event[] {
    const children = this.all().filter(({ parent }) => parent === this.root);
    return [...children.flatMap((graph) => this.end(graph, outcome)), ...this.#close(this.root.speaker, outcome)];
  }

  #close(speaker: Speaker, outcome: "cancelled" | "error" | "interrupted"): Event[] {
    for (const key of speaker.calls.keys()) this.callEnded(key);
    return speaker.close(outcome);
  }

  callEnded(key: string): void {
    this.#over.add(key);
    if (this.#over.size > MOST_REMEMBERED) this.#over.delete(this.#over.values().next().value!);
  }

  hasEnded(key: string): boolean {
    return this.#over.has(key);
  }

  /** An open call, in any graph. */
  call(key: string): OpenCall | undefined {
    for (const { speaker } of this.#open.values()) {
      const call = speaker.calls.get(key);
      if (call) return call;
    }
    return undefined;
  }

  /** Whether a sub-agent works for this call. */
  isCause(call: OpenCall): boolean {
    return this.all().some(({ cause }) => cause === call);
  }
}
