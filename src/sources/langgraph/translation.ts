import { type Fields, fieldsOf, listOf } from "../../json.ts";
import { countOf, lineOf, textOf } from "../upstream/reading.ts";
import { type ProtocolEvent, keyOf } from "./protocol.ts";

interface Message {
  readonly id: string;
  usage: unknown;
  metadata: Fields;
}

interface Task {
  readonly calls: readonly string[];
  readonly agent: string | undefined;
}

/** Offset of call indexes, to keep them apart from text blocks. */
const CALLS_FROM = 1000;
const MAX_TASKS = 5000;

/** Translates frames of version 1 of one run into events of version 2. */
export class Translation {
  readonly #run: string;
  readonly #messages = new Map<string, Message>();
  readonly #tasks = new Map<string, Task>();
  readonly #announced = new Set<string>();
  /** The arguments that the user has changed, by call. The node that runs the call still gets the model's. */
  readonly #edits = new Map<string, unknown>();
  #hasBegun = false;
  #isInterrupted = false;
  hasFailed = false;

  constructor(run: string) {
    this.#run = run;
  }

  frame(event: string, data: unknown): ProtocolEvent[] {
    const [mode = "", ...namespace] = event.split("|");
    const begin = this.#hasBegun ? [] : [this.#root({ event: "running" })];
    this.#hasBegun = true;
    return [...begin, ...this.#of(mode, namespace, data)];
  }

  /** The stream has ended with this status of the run. */
  end(status: string): ProtocolEvent[] {
    if (this.#isInterrupted) return [this.#root({ event: "interrupted" })];
    if (status === "success") return [this.#root({ event: "completed" })];
    if (status === "interrupted") return [this.#root({ event: "interrupted" })];
    if (status === "error" || status === "timeout") return [this.#root({ event: "failed" })];
    return [];
  }

  #of(mode: string, namespace: readonly string[], data: unknown): ProtocolEvent[] {
    const fields = fieldsOf(data);
    switch (mode) {
      case "messages": {
        const [chunk, metadata] = Array.isArray(data) ? data.map(fieldsOf) : [];
        return chunk ? this.#chunk(namespace, chunk, metadata ?? {}) : [];
      }
      case "tasks":
        return this.#task(namespace, fields);
      case "updates":
        return listOf(fields["__interrupt__"]).map((one) => this.#interrupt(namespace, fieldsOf(one)));
      case "values":
        return [{ method: "values", namespace, data: fields }];
      case "custom":
        return [{ method: "custom", namespace, data: { payload: data } }];
      case "error":
        this.hasFailed = true;
        return [this.#root({ event: "failed", error: fields["message"] ?? fields["error"] })];
      default:
        return [];
    }
  }

  #interrupt(namespace: readonly string[], { id, value, response_schema: schema }: Fields): ProtocolEvent {
    this.#isInterrupted = true;
    const withSchema = schema !== null && schema !== undefined && typeof value === "object";
    const payload = withSchema ? { ...fieldsOf(value), response_schema: schema } : value;
    return { method: "input.requested", namespace, data: { interrupt_id: id, payload } };
  }

  #chunk(namespace: readonly string[], chunk: Fields, metadata: Fields): ProtocolEvent[] {
    if (chunk["type"] !== "AIMessageChunk" && chunk["type"] !== "ai") return [];
    const id = textOf(chunk["id"]) ?? "";
    const key = keyOf(namespace);
    const of = (data: Fields): ProtocolEvent => ({ method: "messages", namespace, data });
    const events = this.#announce(namespace, lineOf(metadata["lc_agent_name"], 200));
    let message = this.#messages.get(key);
    if (message?.id !== id) {
      if (message) events.push(of(finishOf(message)));
      message = { id, usage: undefined, metadata: {} };
      this.#messages.set(key, message);
      const model = metadata["ls_model_name"];
      events.push(of({ event: "message-start", role: "ai", id, metadata: { model } }));
    }
    // Some providers repeat ids: then this is another call.
    for (const one of listOf(chunk["tool_call_chunks"])) this.#edits.delete(textOf(fieldsOf(one)["id"]) ?? "");
    message.usage = chunk["usage_metadata"] ?? message.usage;
    message.metadata = { ...message.metadata, ...fieldsOf(chunk["response_metadata"]) };
    events.push(...blocksOf(chunk["content"]).map(of), ...callsOf(chunk).map(of));
    if (chunk["chunk_position"] === "last" || chunk["type"] === "ai") {
      this.#messages.delete(key);
      events.push(of(finishOf(message)));
    }
    return events;
  }

  /** A node begins or has ended. Nodes that run tools name their calls. */
  #task(namespace: readonly string[], task: Fields): ProtocolEvent[] {
    const path = [...namespace, `${textOf(task["name"]) ?? ""}:${textOf(task["id"]) ?? ""}`];
    const key = keyOf(path);
    if ("input" in task) {
      const calls = listOf(task["input"])
        .map(fieldsOf)
        .filter((one) => one["type"] === "tool_call" && typeof one["id"] === "string");
      const agent = lineOf(fieldsOf(calls[0]?.["args"])["subagent_type"], 200);
      if (this.#tasks.size < MAX_TASKS) this.#tasks.set(key, { calls: calls.map(({ id }) => textOf(id) ?? ""), agent });
      const started = calls.map(({ id, name, args }) => {
        const input = this.#edits.get(textOf(id) ?? "") ?? args;
        return tool(namespace, { event: "tool-started", tool_call_id: id, tool_name: name, input });
      });
      return started.length > 0 ? [...this.#announce(namespace, undefined), ...started] : [];
    }
    const known = this.#tasks.get(key);
    if (listOf(task["interrupts"]).length > 0) return [];
    this.#tasks.delete(key);
    for (const [id, edited] of Object.entries(fieldsOf(fieldsOf(task["result"])["hitl_edited_tool_calls"])))
      if (this.#edits.size < MAX_TASKS) this.#edits.set(id, fieldsOf(edited)["args"]);
    const { error } = task;
    const isError = error !== null && error !== undefined;
    const message = lineOf(fieldsOf(error)["message"], 2000) ?? lineOf(error, 2000);
    const ended = this.#announced.delete(key)
      ? [{ method: "lifecycle", namespace: path, data: { event: isError ? "failed" : "completed", error: message } }]
      : [];
    if (!known) return ended;
    if (isError)
      return [
        ...known.calls.map((id) => tool(namespace, { event: "tool-error", tool_call_id: id, message })),
        ...ended,
      ];
    const results = listOf(fieldsOf(task["result"])["messages"]).map(fieldsOf);
    const finished = results.flatMap((result) =>
      known.calls.includes(textOf(result["tool_call_id"]) ?? "")
        ? [tool(namespace, { event: "tool-finished", tool_call_id: result["tool_call_id"], output: result })]
        : [],
    );
    return [...finished, ...ended];
  }

  /** Starts a graph with its first event. */
  #announce(namespace: readonly string[], name: string | undefined): ProtocolEvent[] {
    const key = keyOf(namespace);
    if (namespace.length === 0 || this.#announced.has(key)) return [];
    this.#announced.add(key);
    const task = this.#tasks.get(key);
    const cause = task?.calls.length === 1 ? { type: "toolCall", tool_call_id: task.calls[0] } : undefined;
    const graph = task?.agent ?? name ?? namespace.at(-1)?.split(":")[0];
    return [{ method: "lifecycle", namespace, data: { event: "started", graph_name: graph, cause } }];
  }

  #root(data: Fields): ProtocolEvent {
    return { method: "lifecycle", namespace: [], data, run: this.#run };
  }
}

const tool = (namespace: readonly string[], data: Fields): ProtocolEvent => ({ method: "tools", namespace, data });

const finishOf = ({ usage, metadata }: Message): Fields => ({ event: "message-finish", usage, metadata });

const blocksOf = (content: unknown): Fields[] => {
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : listOf(content).map(fieldsOf);
  return blocks.flatMap((block): Fields[] => {
    const index = countOf(block["index"]) ?? 0;
    const thought = textOf(block["thinking"]) ?? textOf(block["reasoning"]);
    const text = block["type"] === "text" ? textOf(block["text"]) : undefined;
    if (text) return [{ event: "content-block-delta", index, delta: { type: "text-delta", text } }];
    return thought
      ? [{ event: "content-block-delta", index, delta: { type: "reasoning-delta", reasoning: thought } }]
      : [];
  });
};

/** Chunks of calls or, for a complete message, the calls. */
const callsOf = (chunk: Fields): Fields[] => {
  if (chunk["type"] === "ai")
    return listOf(chunk["tool_calls"]).map((one, index) => ({
      event: "content-block-finish",
      index: CALLS_FROM + index,
      content: { ...fieldsOf(one), type: "tool_call" },
    }));
  return listOf(chunk["tool_call_chunks"]).flatMap((one, place): Fields[] => {
    const { id, name, args, index: given } = fieldsOf(one);
    const index = CALLS_FROM + (countOf(given) ?? place);
    const start = typeof id === "string" && id !== "";
    const content = { type: "tool_call_chunk", id, name, args: "" };
    return [
      ...(start ? [{ event: "content-block-start", index, content }] : []),
      ...(typeof args === "string" && args !== ""
        ? [{ event: "content-block-delta", index, delta: { type: "tool-call-delta", args } }]
        : []),
    ];
  });
};
