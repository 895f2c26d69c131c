import { fieldsOf, listOf, parseJson } from "../../json.ts";
import { lineOf, textOf } from "../upstream/reading.ts";
import { type ProtocolEvent, keyOf, pathOf, protocolEventOf } from "./protocol.ts";

interface Tool {
  readonly call: string;
  readonly name: string;
}

const MAX_REMEMBERED = 5000;

/**
 * Converts the events of a graph in this process to the form that a server sends. In process, paths name every node,
 * not only graphs. The name and cause of a sub-agent are missing. Interrupts come after the last event.
 */
export class LocalEvents {
  /** The tool that runs at each path. */
  readonly #tools = new Map<string, Tool>();
  readonly #announced = new Set<string>();
  /** Paths of tools that wait for an answer. */
  readonly #waiting = new Set<string>();
  /** The path at which each interrupt was raised. */
  readonly #interrupts = new Map<string, readonly string[]>();
  #isCompleted = false;

  take(value: unknown): ProtocolEvent[] {
    const event = protocolEventOf(plain(value));
    if (!event) return [];
    const { method, namespace, data } = event;
    const graph = namespace.slice(0, -1);
    switch (method) {
      case "lifecycle":
        return this.#lifecycle(event);
      case "messages":
        return [...this.#announce(graph), { ...event, namespace: graph }];
      case "tools":
        return this.#tool(event, graph);
      case "values":
        // The interrupted graph reports it first, then the enclosing ones.
        for (const one of listOf(data["__interrupt__"])) this.#interrupted(textOf(fieldsOf(one)["id"]), namespace);
        return "messages" in data ? [event] : [];
      case "custom":
      case "input.requested":
        return [event];
      default:
        return [];
    }
  }

  /** The run is over, or waits for these interrupts. */
  finish(interrupts: readonly unknown[]): ProtocolEvent[] {
    if (!this.#isCompleted) return [];
    const asked = interrupts.map(plain).map((one): ProtocolEvent => {
      const { interruptId, payload } = fieldsOf(one);
      const namespace = this.#interrupts.get(textOf(interruptId) ?? "") ?? [];
      return { method: "input.requested", namespace, data: { interrupt_id: interruptId, payload } };
    });
    return [...asked, root(asked.length > 0 ? "interrupted" : "completed")];
  }

  #lifecycle(event: ProtocolEvent): ProtocolEvent[] {
    const { namespace, data } = event;
    if (namespace.length > 0) {
      const key = keyOf(namespace);
      const isOver = data["event"] === "completed" || data["event"] === "failed";
      return isOver && this.#announced.has(key) && !this.#waiting.has(key) ? [event] : [];
    }
    if (data["event"] !== "completed") return [event];
    this.#isCompleted = true;
    return [];
  }

  #tool(event: ProtocolEvent, graph: readonly string[]): ProtocolEvent[] {
    const { namespace, data } = event;
    if (data["event"] === "tool-started") {
      const given = data["input"];
      const input = fieldsOf(typeof given === "string" ? parseJson(given) : given);
      const name = lineOf(input["subagent_type"], 200) ?? lineOf(data["tool_name"], 200) ?? "agent";
      this.#tools.set(keyOf(namespace), { call: textOf(data["tool_call_id"]) ?? "", name });
      if (this.#tools.size > MAX_REMEMBERED) this.#tools.delete(this.#tools.keys().next().value!);
    }
    if (data["event"] === "tool-error" && isInterrupt(data["message"])) {
      this.#waiting.add(keyOf(namespace));
      return [];
    }
    return [...this.#announce(graph), { ...event, namespace: graph }];
  }

  #interrupted(id: string | undefined, namespace: readonly string[]): void {
    if (id !== undefined && !this.#interrupts.has(id)) this.#interrupts.set(id, namespace);
  }

  /** Starts a graph with its first event. */
  #announce(namespace: readonly string[]): ProtocolEvent[] {
    const key = keyOf(namespace);
    if (namespace.length === 0 || this.#announced.has(key)) return [];
    this.#announced.add(key);
    const tool = this.#tools.get(key);
    const name = tool?.name ?? namespace.at(-1)!.split(":")[0]!;
    const cause = tool && { type: "toolCall", tool_call_id: tool.call };
    const parent = this.#announce(namespace.slice(0, -1));
    return [...parent, { method: "lifecycle", namespace, data: { event: "started", graph_name: name, cause } }];
  }
}

/** A tool interrupts with an error whose message is a list of its interrupts. */
const isInterrupt = (message: unknown): boolean => {
  const list = typeof message === "string" && message.startsWith("[") ? parseJson(message) : undefined;
  const [first] = listOf(list).map(fieldsOf);
  return first !== undefined && typeof first["id"] === "string" && "value" in first;
};

const root = (event: string): ProtocolEvent => ({ method: "lifecycle", namespace: [], data: { event } });

/** Events contain LangChain objects, which implement toJSON. */
const plain = (value: unknown): unknown => {
  const { method, params } = fieldsOf(value);
  const { namespace, data, timestamp } = fieldsOf(params);
  if (method === "messages") return { method, params: { namespace: pathOf(namespace), data, timestamp } };
  try {
    return JSON.parse(JSON.stringify(value)) as unknown;
  } catch {
    return undefined;
  }
};
