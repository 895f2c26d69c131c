import type { Answer, Event, Json } from "../../events.ts";
import { Refusal } from "../../source.ts";
import type { NewId } from "../upstream/agent-writer.ts";
import { type Graph, type Graphs } from "./graphs.ts";
import { type Interrupt, type Question, interruptOf } from "./interrupts.ts";

/** The response to one interrupt. */
export interface Response {
  readonly interrupt: string;
  readonly namespace: readonly string[];
  readonly response: Json;
}

interface Waiting {
  readonly id: string;
  readonly namespace: readonly string[];
  readonly interrupt: Interrupt;
  readonly asks: readonly { readonly ask: string; readonly question: Question; readonly graph: Graph }[];
  readonly answers: Map<string, Answer | undefined>;
}

const MAX_OPEN = 200;

/** What an interrupted run waits for. LangGraph expects all answers together. */
export class Pause {
  readonly #newId: NewId;
  readonly #graphs: Graphs;
  readonly #waiting = new Map<string, Waiting>();

  constructor(newId: NewId, graphs: Graphs) {
    this.#newId = newId;
    this.#graphs = graphs;
  }

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  /** The asks without an answer. */
  get open(): readonly string[] {
    return [...this.#waiting.values()].flatMap(({ asks, answers }) =>
      asks.filter(({ ask }) => !answers.has(ask)).map(({ ask }) => ask),
    );
  }

  add(id: string, namespace: readonly string[], payload: unknown): Event[] {
    if (this.#waiting.has(id)) return [];
    if (this.#waiting.size >= MAX_OPEN)
      throw new Refusal("upstream-invalid", `The server has more than ${MAX_OPEN} interrupts open.`, { status: 502 });
    const graph = this.#graphs.around(namespace);
    const own = [...graph.writer.calls.values()].filter(({ ask }) => ask === undefined);
    const interrupt = interruptOf(payload, {
      waiting: own.filter(({ isExecuting }) => !isExecuting),
      executing: own.filter((call) => call.isExecuting && !this.#graphs.isCause(call)),
    });
    const events = graph.writer.settle();
    const asks = interrupt.questions.map((question) => ({ ask: this.#newId("ask"), question, graph }));
    this.#waiting.set(id, { id, namespace, interrupt, asks, answers: new Map() });
    for (const { ask, question } of asks) {
      const { call, event } = question;
      if (call) call.ask = ask;
      events.push(graph.writer.own({ type: "ask-start", ask, ...event, ...(call && { call: call.id }) }));
    }
    return events;
  }

  /** The user has answered, or (undefined) no answer will come. The ask-end is already in the log. */
  answered(ask: string, answer: Answer | undefined): Event[] {
    for (const { asks, answers } of this.#waiting.values()) {
      const found = asks.find((one) => one.ask === ask);
      if (!found || answers.has(ask)) continue;
      answers.set(ask, answer);
      const { call, ended } = found.question;
      if (call?.ask === ask) call.ask = undefined;
      const events = ended?.(answer) ?? [];
      if (events.length > 0 && call) this.#graphs.callEnded(call.key);
      return events;
    }
    return [];
  }

  responses(): Response[] {
    return [...this.#waiting.values()].map(({ id, namespace, interrupt, asks, answers }) => ({
      interrupt: id,
      namespace,
      response: interrupt.response(asks.map(({ ask }) => answers.get(ask))),
    }));
  }

  /** The run has continued. Ends the remaining asks, except those about calls, which end with their call. */
  clear(): Event[] {
    const events = [...this.#waiting.values()].flatMap(({ asks, answers }) =>
      asks
        .filter(({ ask, question }) => !answers.has(ask) && !question.call)
        .map(({ ask, graph }) => graph.writer.own({ type: "ask-end", ask, outcome: "cancelled" })),
    );
    this.#waiting.clear();
    return events;
  }
}
