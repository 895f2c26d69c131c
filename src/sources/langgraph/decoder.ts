import { type Fields, fieldsOf, parseJson } from "../../json.ts";
import type { Answer, Event, Json, Problem } from "../../events.ts";
import { jsonOf, lineOf, textOf } from "../upstream/reading.ts";
import type { NewId, OpenCall } from "../upstream/agent-writer.ts";
import { type Graph, Graphs } from "./graphs.ts";
import { OpenMessage } from "./messages.ts";
import { Pause } from "./pause.ts";
import { type ProtocolEvent, isSame, keyOf } from "./protocol.ts";
import { resultOf } from "./results.ts";
import { type ChangedFile, Values } from "./values.ts";

/** How a run ended on the server. */
export interface End {
  readonly outcome: "done" | "error" | "cancelled";
  readonly error?: Problem;
}

/** The origin of an event in the log: the number of the protocol event in the run, and the position among the events it produced. */
export type Mark = readonly [event: number, place: number];

const UNASKED = { code: "not-approved", message: "The server ran this call without waiting for an answer." };

/**
 * Converts what LangGraph sends for one run into events. It is deterministic and has no timer or connection: the same
 * protocol events produce the same events with the same ids, so another process can replay a run. It throws only
 * Refusals.
 */
export class Decoder {
  readonly #graphs: Graphs;
  readonly #values: Values;
  /** Paths whose open message is a tool's result, which is reported elsewhere. */
  readonly #toolMessages = new Set<string>();
  readonly #started = new Map<OpenCall, number>();
  #count = 0;
  #isOurs = false;
  /** The run being read. Everything before its start belongs to earlier runs of the thread. After an answer, another run continues it. */
  run: string;
  /** Set when the run is over. */
  end: End | undefined;
  readonly pause: Pause;
  isPaused = false;

  constructor(newId: NewId, run: string) {
    this.#graphs = new Graphs(newId);
    this.#values = new Values(this.#graphs);
    this.pause = new Pause(newId, this.#graphs);
    this.run = run;
  }

  /** Files that came with the last event, with their marks. */
  takeFiles(): readonly { readonly file: ChangedFile; readonly mark: Mark }[] {
    return this.#values.files.splice(0).map((file, index) => ({ file, mark: [this.#count, 1000 + index] as const }));
  }

  event(event: ProtocolEvent): Event[] {
    if (this.end) return [];
    const isRoot = event.namespace.length === 0;
    const isBeginning = event.method === "lifecycle" && isRoot && event.data["event"] === "running";
    if (!this.#isOurs) {
      if (!isBeginning || (event.run !== undefined && event.run !== this.run)) return [];
      this.#isOurs = true;
    }
    this.#count++;
    return this.#marked(this.#of(event, isRoot));
  }

  /** The user has answered, or (undefined) no answer will come. */
  answered(ask: string, answer: Answer | undefined): Event[] {
    this.#count++;
    return this.#marked(this.pause.answered(ask, answer));
  }

  #of({ method, namespace, data, run, timestamp }: ProtocolEvent, isRoot: boolean): Event[] {
    switch (method) {
      case "lifecycle":
        return isRoot ? this.#root(data, run) : this.#graph(namespace, data);
      case "messages":
        return this.#message(namespace, data);
      case "tools":
        return this.#tool(namespace, data, timestamp);
      case "input.requested":
        return this.pause.add(textOf(data["interrupt_id"]) ?? "", namespace, data["payload"]);
      case "values":
        return this.#values.take(namespace, data);
      case "custom":
        return this.#custom(namespace, data);
      default:
        return [];
    }
  }

  #root(data: Fields, run: string | undefined): Event[] {
    switch (data["event"]) {
      case "running":
        if (run !== undefined) this.run = run;
        this.isPaused = false;
        return this.pause.clear();
      case "interrupted":
        // Without a request for input, the run was cancelled.
        if (this.pause.isEmpty) return this.#over({ outcome: "cancelled" });
        this.isPaused = true;
        return [];
      case "completed":
        return this.#over({ outcome: "done" });
      case "failed": {
        const message = lineOf(data["error"], 2000) ?? "The run failed on the server.";
        return this.#over({ outcome: "error", error: { code: "upstream-error", message } });
      }
      default:
        return [];
    }
  }

  #over(end: End): Event[] {
    this.end = end;
    const { writer } = this.#graphs.root;
    const settled = end.outcome === "done" ? writer.settle() : [];
    return [...settled, ...this.#graphs.closeAll(end.outcome === "done" ? "interrupted" : end.outcome)];
  }

  #graph(namespace: readonly string[], data: Fields): Event[] {
    const graph = this.#graphs.get(namespace);
    switch (data["event"]) {
      case "started": {
        const cause = textOf(fieldsOf(data["cause"])["tool_call_id"]);
        return this.#graphs.start(namespace, lineOf(data["graph_name"], 200) ?? "agent", cause);
      }
      case "completed":
        return graph ? this.#graphs.end(graph, "done") : [];
      case "failed": {
        const message = lineOf(data["error"], 2000);
        const error = message === undefined ? undefined : { code: "upstream-error", message };
        return graph ? this.#graphs.end(graph, "error", error) : [];
      }
      default:
        // It waits, or was cancelled with the run. The root's event shows which.
        return [];
    }
  }

  #message(namespace: readonly string[], data: Fields): Event[] {
    const key = keyOf(namespace);
    const name = data["event"];
    if (name === "message-start" && data["role"] === "tool") this.#toolMessages.add(key);
    if (this.#toolMessages.has(key)) {
      if (name === "message-finish") this.#toolMessages.delete(key);
      if (this.#toolMessages.size > 1000) this.#toolMessages.clear();
      return [];
    }
    const graph = this.#graphs.around(namespace);
    if (name === "message-start") return this.#startMessage(graph, data);
    const { message } = graph;
    if (!message) return [];
    const events = message.event(data);
    if (name === "message-finish") {
      this.#values.shown(undefined, message.text);
      graph.message = undefined;
    }
    return events;
  }

  #startMessage(graph: Graph, data: Fields): Event[] {
    const events = graph.message?.finish() ?? [];
    const model = lineOf(fieldsOf(data["metadata"])["model"], 200);
    this.#values.shown(textOf(data["id"]), "");
    graph.message = new OpenMessage(graph.writer);
    return [...events, ...graph.writer.startStep(model)];
  }

  #tool(namespace: readonly string[], data: Fields, timestamp: number | undefined): Event[] {
    const key = textOf(data["tool_call_id"]) || lineOf(data["tool_name"], 200) || "tool";
    const known = this.#graphs.call(key);
    if (!known && this.#graphs.hasEnded(key)) return [];
    const { call, events } = known ? { call: known, events: [] } : this.#unnamed(namespace, key, data);
    switch (data["event"]) {
      case "tool-started":
        if (timestamp !== undefined && !call.isExecuting) this.#started.set(call, timestamp);
        return [...events, ...this.#execute(call, data["input"])];
      case "tool-output-delta":
        return [...events, ...this.#output(call, data["delta"])];
      case "tool-finished": {
        const { isError, ...result } = resultOf(data["output"], key);
        return [
          ...events,
          ...this.#finish(call, isError ? "error" : "ok", { ...result, ms: this.#ms(call, timestamp) }),
        ];
      }
      case "tool-error": {
        const message = (textOf(data["message"]) ?? "The tool failed.").slice(0, 2000);
        const error = { code: "tool-error", message };
        return [...events, ...this.#finish(call, "error", { error, ms: this.#ms(call, timestamp) })];
      }
      default:
        return events;
    }
  }

  /** Starts a call that no message requested. */
  #unnamed(namespace: readonly string[], key: string, data: Fields): { call: OpenCall; events: Event[] } {
    const { writer } = this.#graphs.around(namespace);
    const { call, events } = writer.startCall(key, lineOf(data["tool_name"], 200) ?? "tool");
    return { call, events: [...events, ...writer.giveInput(call, inputOf(data["input"])), ...writer.settle()] };
  }

  #execute(call: OpenCall, given: unknown): Event[] {
    const input = inputOf(given);
    const isEdited = input !== undefined && !isSame(input, call.input);
    return call.writer.execute(call, isEdited ? input : undefined);
  }

  #output(call: OpenCall, delta: unknown): Event[] {
    const text = typeof delta === "string" ? delta : delta === undefined ? "" : JSON.stringify(delta);
    if (text === "" || !call.isExecuting) return [];
    return [call.writer.own({ type: "tool-output-delta", call: call.id, stream: "stdout", delta: text })];
  }

  #finish(call: OpenCall, outcome: "ok" | "error", result: Parameters<OpenCall["writer"]["endCall"]>[2]): Event[] {
    const events = call.writer.execute(call);
    this.#started.delete(call);
    this.#graphs.callEnded(call.key);
    if (!call.isExecuting) return [...events, ...call.writer.endCall(call, "error", { error: UNASKED })];
    return [...events, ...call.writer.endCall(call, outcome, result)];
  }

  #ms(call: OpenCall, timestamp: number | undefined): number | undefined {
    const started = this.#started.get(call);
    return started === undefined || timestamp === undefined ? undefined : Math.max(0, timestamp - started);
  }

  #custom(namespace: readonly string[], data: Fields): Event[] {
    const value = jsonOf("payload" in data ? data["payload"] : data);
    if (value === undefined) return [];
    return [this.#graphs.around(namespace).writer.own({ type: "data", name: "custom", value })];
  }

  /** Deltas are frequent and carry no mark. They are counted instead. */
  #marked(events: Event[]): Event[] {
    return events.map((event, place) => ("delta" in event ? event : withMark(event, [this.#count, place])));
  }
}

export const withMark = (event: Event, mark: Mark): Event => ({
  ...event,
  meta: { ...(fieldsOf(event.meta) as { [key: string]: Json }), langgraph: { at: [...mark] } },
});

const inputOf = (value: unknown): Json | undefined =>
  jsonOf(typeof value === "string" ? (parseJson(value) ?? value) : value);
