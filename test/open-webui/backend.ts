import { backendItems } from "./backend-items.ts";
import { endedItems, openCalls, stoppedItems, type OpenCall } from "./ended-items.ts";
import type { Generation } from "./generations.ts";
import { isDelta, type OutputItem, type OutputItems, type ResponseEvent } from "./output-items.ts";
import { type Emitted, saveEvent, type SavedMessage } from "./saved-message.ts";

/**
 * Open WebUI's server for one answer: reads the lines of a stream, keeps the items, saves the message, and notifies the
 * browser. Written from what is known of its rules. They are the same for a connection and for a pipe that forwards
 * `data:` lines, native or legacy.
 */
export interface Backend {
  /** Handles one line of the stream. Returns what is sent to the browser. */
  line(line: string): readonly Emitted[];
  /** Ends the stream. */
  end(): readonly Emitted[];
  /** The user presses Stop. No further lines arrive. */
  stop(): readonly Emitted[];
  readonly saved: SavedMessage;
  /** The items so far. */
  readonly items: OutputItems;
  /** The calls that Open WebUI would run itself, followed by another request. Known at the end of the stream. */
  readonly executes: readonly OpenCall[];
  /** An error inside Open WebUI itself. */
  readonly crash: string | undefined;
}

interface Chunk {
  readonly type?: string;
  readonly event?: Emitted;
  readonly error?: unknown;
  readonly usage?: object | null;
  readonly selected_model_id?: string;
  readonly choices?: readonly { readonly delta?: Delta }[];
}

interface Delta {
  readonly content?: string;
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly { index?: number; id?: string; function?: { name?: string; arguments?: string } }[];
}

export const createBackend = (generation: Generation): Backend => {
  let items: OutputItems = [];
  let saved: SavedMessage = {};
  let usage: object | undefined;
  let crash: string | undefined;
  let made = 0;
  let executes: readonly OpenCall[] = [];
  const asked = new Map<number, OpenCall>();

  const save = (change: SavedMessage) => void (saved = { ...saved, ...change });
  const completion = (data: object): Emitted => ({ type: "chat:completion", data });
  const event = (data: ResponseEvent): Emitted => ({ type: "response:completion", data });

  const response = (event: ResponseEvent): Emitted[] => {
    items = backendItems(items, event, generation);
    const isCompleted = event.type === "response.completed";
    const counted = isCompleted ? (event.response?.usage as object | undefined) : undefined;
    if (counted) usage = { ...usage, ...counted };
    const error = event.type === "error" ? event : event.type === "response.failed" ? event.response?.error : undefined;
    if (generation.socket === "snapshots")
      return [completion({ output: items, ...(counted && { usage }), ...(error !== undefined && { error }) })];
    if (error !== undefined && generation.storesFailed) save({ error: { content: error } });
    return [
      ...(error === undefined ? [] : [completion({ error })]),
      { type: "response:completion", data: event },
      ...(counted ? [completion({ usage })] : []),
    ];
  };

  /**
   * Appends text to the last item if it has this type, else to a new one, as chunks without an item do. (Does not look
   * for thinking tags in the text, because a dialect that names its items sends none.)
   */
  const words = (type: "message" | "reasoning", text: string): Emitted[] => {
    const isNew = items.at(-1)?.type !== type;
    const emitted = isNew && type === "message" ? endThinking() : [];
    const item: OutputItem = isNew ? { ...blank(type), id: `owui_${++made}` } : items.at(-1)!;
    const grown = { ...item, content: [{ type: "output_text", text: `${item.content?.[0]?.text ?? ""}${text}` }] };
    items = isNew ? [...items, grown] : [...items.slice(0, -1), grown];
    if (generation.socket === "snapshots") return [completion({ output: items })];
    const at = { item_id: item.id, output_index: items.length - 1 };
    const field = type === "message" ? "output_text" : "reasoning_text";
    return [
      ...emitted,
      ...(isNew && type === "reasoning" && generation.tellsThinking
        ? [event({ type: "response.output_item.added", ...at, item })]
        : []),
      event({ type: `response.${field}.delta`, ...at, content_index: 0, delta: text }),
    ];
  };

  /** Thinking ends where text follows. */
  const endThinking = (): Emitted[] => {
    const last = items.at(-1);
    if (last?.type !== "reasoning") return [];
    const item = { ...last, status: "completed", duration: 0, ended_at: 1 };
    items = [...items.slice(0, -1), item];
    const output_index = items.length - 1;
    return generation.tellsThinking ? [event({ type: "response.output_item.done", output_index, item })] : [];
  };

  const ask = ({ index = 0, id = "", function: called = {} }: NonNullable<Delta["tool_calls"]>[number]) => {
    const known = asked.get(index) ?? { call: id, name: "", arguments: "" };
    asked.set(index, {
      call: known.call,
      name: called.name ?? known.name,
      arguments: known.arguments + (called.arguments ?? ""),
    });
  };

  const chunk = (data: Chunk): Emitted[] => {
    const emitted: Emitted[] = [];
    if (data.usage && Object.keys(data.usage).length > 0) {
      usage = { ...usage, ...data.usage };
      emitted.push(completion({ usage }));
    }
    if (!data.choices?.length) {
      if (!data.error) return emitted;
      save({ error: { content: data.error } });
      return [...emitted, completion({ error: data.error })];
    }
    const { content, reasoning_content, tool_calls = [] } = data.choices[0]!.delta ?? {};
    tool_calls.forEach(ask);
    if (reasoning_content) emitted.push(...words("reasoning", reasoning_content));
    if (content) emitted.push(...words("message", content));
    return content || reasoning_content || tool_calls.length > 0 ? emitted : [...emitted, completion(data)];
  };

  const take = (data: Chunk): Emitted[] => {
    const emitted: Emitted[] = [];
    if (data.event) {
      emitted.push(data.event);
      save(saveEvent(saved, data.event));
    }
    if (data.selected_model_id !== undefined) return [...emitted, completion(data)];
    const type = typeof data.type === "string" ? data.type : "";
    const isResponse = type.startsWith("response.") || (generation.takesErrorType && type === "error");
    return [...emitted, ...(isResponse ? response(data as ResponseEvent) : chunk(data))];
  };

  return {
    line(line) {
      if (crash !== undefined) return [];
      if (!line.startsWith("data:")) {
        const error = (parsed(line) as Chunk | undefined)?.error;
        return error ? [completion({ error })] : [];
      }
      const data = parsed(line.slice("data:".length));
      if (typeof data !== "object" || data === null) return [];
      // Such a delta causes an exception inside Open WebUI, and its line is skipped.
      const { type, output_index = items.length - 1 } = data as ResponseEvent;
      const isLost = typeof type === "string" && isDelta(type) && !items[output_index] && !generation.deltaMakesItem;
      return isLost ? [] : take(data as Chunk);
    },
    end() {
      const ended = endedItems(items, generation);
      if (ended === undefined) {
        crash = "'started_at'";
        save({ error: { content: crash } });
        return [{ type: "chat:message:error", data: { error: { content: crash } } }, { type: "chat:tasks:cancel" }];
      }
      executes = asked.size > 0 ? [...asked.values()] : openCalls(ended, generation);
      items = ended.map((item) => (item.status === "in_progress" ? { ...item, status: "completed" } : item));
      save({ done: true, output: items, ...(usage && { usage }) });
      const done = completion({ done: true, output: items, ...(usage && { usage }) });
      if (generation.socket === "events") return [done];
      // Contains every message of the chat. For this one, what was saved.
      return [done, { type: "chat:outlet", data: { messages: [{ content: saved.content ?? "", output: items }] } }];
    },
    stop() {
      items = stoppedItems(items, generation);
      save({ done: true, output: items });
      return [
        generation.stopped === "incomplete"
          ? { type: "chat:tasks:cancel", data: { output: items } }
          : { type: "chat:tasks:cancel" },
      ];
    },
    get saved() {
      return saved;
    },
    get items() {
      return items;
    },
    get executes() {
      return executes;
    },
    get crash() {
      return crash;
    },
  };
};

const blank = (type: "message" | "reasoning"): OutputItem => ({
  type,
  status: "in_progress",
  content: [{ type: "output_text", text: "" }],
  ...(type === "reasoning" ? { started_at: 1, attributes: { type: "reasoning_content" } } : { role: "assistant" }),
});

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
