import { type Fields, fieldsOf, listOf } from "../../json.ts";
import type { Event, Json } from "../../events.ts";
import { textOf } from "../upstream/reading.ts";
import type { Graph, Graphs } from "./graphs.ts";
import { contentText, fieldNamed, unwrapped } from "./protocol.ts";
import { resultOf, todosOf } from "./results.ts";

/** A file in the state that was created, changed or deleted. */
export interface ChangedFile {
  readonly name: string;
  /** Its content. Undefined if it was deleted. */
  readonly bytes: Buffer | undefined;
  readonly mediaType: string;
  readonly change: "created" | "changed" | "deleted";
}

/** Shown by other means, or meaningless to users. */
const HIDDEN = new Set(["messages", "files", "todos", "hitl_edited_tool_calls", "jump_to", "remaining_steps"]);
const MAX_FILES = 500;
const MAX_REMEMBERED = 2000;

/** State that the run's events do not contain. The complete state arrives after each step, so only changes are emitted. */
export class Values {
  readonly #graphs: Graphs;
  /** Messages that already existed or have been shown. */
  readonly #known = new Set<string>();
  readonly #texts = new Set<string>();
  #todos = "";
  #state = "";
  #files: Map<string, string> | undefined;
  #isFirst = true;
  /** Files that came with the last state. */
  files: ChangedFile[] = [];

  constructor(graphs: Graphs) {
    this.#graphs = graphs;
  }

  /** A message was already shown while it streamed. */
  shown(id: string | undefined, text: string): void {
    if (id !== undefined) this.#remember(this.#known, id);
    if (text !== "") this.#remember(this.#texts, text);
  }

  take(namespace: readonly string[], data: Fields): Event[] {
    const graph = this.#graphs.get(namespace);
    if (!graph) return [];
    const messages = listOf(data["messages"]).map(unwrapped);
    const events = this.#results(graph, messages);
    if (graph !== this.#graphs.root) return events;
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    if (isFirst) for (const { id } of messages) this.shown(textOf(id), "");
    else events.push(...messages.flatMap((message) => this.#unseen(graph, message)));
    return [...events, ...this.#data(data, isFirst)];
  }

  /** Ends calls whose end no event reports: unknown tools, rejected calls, and answers in place of a tool. */
  #results({ writer }: Graph, messages: readonly Fields[]): Event[] {
    if (writer.calls.size === 0) return [];
    return messages.flatMap((message, index) => {
      const key = textOf(fieldNamed(message, "tool_call_id"));
      const call = key === undefined ? undefined : writer.calls.get(key);
      // Some providers repeat ids: then this is the result of an earlier call.
      if (!call || messages.slice(index).some((later) => requests(later, call.key))) return [];
      if (call.ask !== undefined || this.#graphs.isCause(call)) return [];
      const { isError, ...result } = resultOf(message, call.key);
      this.#graphs.callEnded(call.key);
      const events = isError ? [] : writer.execute(call);
      return [...events, ...writer.endCall(call, isError ? "error" : "ok", result)];
    });
  }

  /** An answer that no model streamed, such as a fixed text of a node. */
  #unseen({ writer }: Graph, message: Fields): Event[] {
    const id = textOf(message["id"]);
    if (id === undefined || this.#known.has(id)) return [];
    this.#remember(this.#known, id);
    if (!isAnswer(message)) return [];
    const text = contentText(message["content"]);
    if (text === "" || this.#texts.has(text)) return [];
    return [...writer.startStep(), ...writer.say("text", text), ...writer.settle()];
  }

  #data(data: Fields, isFirst: boolean): Event[] {
    const events: Event[] = [];
    const todos = JSON.stringify(data["todos"] ?? []);
    if (todos !== this.#todos && !(isFirst && todos === "[]"))
      events.push({ type: "data", name: "todos", value: todosOf(data["todos"]) });
    this.#todos = todos;
    const rest = Object.fromEntries(
      Object.entries(data).filter(([name, value]) => !HIDDEN.has(name) && !name.startsWith("_") && value !== null),
    );
    const state = JSON.stringify(rest);
    if (state !== this.#state && !isFirst) events.push({ type: "data", name: "state", value: rest as Json });
    this.#state = isFirst ? "{}" : state;
    if ("files" in data) this.#takeFiles(fieldsOf(data["files"]), isFirst);
    return events;
  }

  #takeFiles(files: Fields, isFirst: boolean): void {
    const now = new Map<string, string>();
    for (const [name, value] of Object.entries(files).slice(0, MAX_FILES)) {
      const { content, encoding, mimeType } = fieldsOf(value);
      const text = Array.isArray(content)
        ? content.map((line) => textOf(line) ?? "").join("\n")
        : (textOf(content) ?? "");
      now.set(name, text);
      const before = this.#files?.get(name);
      if (before === text || isFirst) continue;
      this.files.push({
        name,
        bytes: Buffer.from(text, encoding === "base64" ? "base64" : "utf8"),
        mediaType: textOf(mimeType) ?? "text/plain",
        change: before === undefined ? "created" : "changed",
      });
    }
    for (const name of this.#files?.keys() ?? [])
      if (!now.has(name)) this.files.push({ name, bytes: undefined, mediaType: "text/plain", change: "deleted" });
    this.#files = now;
  }

  #remember(set: Set<string>, value: string): void {
    set.add(value);
    if (set.size > MAX_REMEMBERED) set.delete(set.values().next().value!);
  }
}

const requests = (message: Fields, key: string): boolean =>
  listOf(fieldNamed(message, "tool_calls")).some((call) => fieldsOf(call)["id"] === key);

const isAnswer = ({ type, role }: Fields): boolean =>
  type === "ai" || type === "AIMessage" || type === "AIMessageChunk" || role === "assistant";
