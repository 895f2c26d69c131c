import { type Fields, fieldsOf } from "../../json.ts";
import type { Event } from "../../events.ts";
import type { Call } from "./call.ts";
import type { Calls } from "./calls.ts";
import { lineOf, textOf } from "../upstream/reading.ts";
import { type NewId, AgentWriter } from "./agent-writer.ts";

interface SubAgent {
  readonly writer: AgentWriter;
  readonly id: string;
}

const MOST = 200;

/** Sub-agents, if updates report which call of the parent they belong to. */
export class SubAgents {
  readonly #newId: NewId;
  readonly #calls: Calls;
  readonly #open = new Map<string, SubAgent>();

  constructor(newId: NewId, calls: Calls) {
    this.#newId = newId;
    this.#calls = calls;
  }

  /** The writer of an update: the root, or a sub-agent, which starts with its first update. */
  writerOf(update: Fields, root: AgentWriter): { readonly writer: AgentWriter; readonly events: Event[] } {
    const key = textOf(fieldsOf(fieldsOf(update["_meta"])["claudeCode"])["parentToolUseId"]);
    const known = key === undefined ? undefined : this.#open.get(key);
    if (known) return { writer: known.writer, events: [] };
    if (key === undefined || this.#open.size >= MOST) return { writer: root, events: [] };
    const parent = this.#calls.get(key);
    // A nested sub-agent would need its parent to stay open as long as itself, which is not guaranteed.
    if ((!parent && !this.#calls.hasEnded(key)) || parent?.writer.agent !== undefined)
      return { writer: root, events: [] };
    const id = this.#newId("agent");
    const writer = new AgentWriter(id, this.#newId);
    this.#open.set(key, { id, writer });
    const events: Event[] = parent ? parent.execute() : [];
    return { writer, events: [...events, { type: "agent-start", agent: id, ...factsOf(parent) }] };
  }

  /** The prompt is over. Ends all sub-agents. */
  end(isCancelled: boolean): Event[] {
    return [...this.#open.values()].flatMap(({ id, writer }) => [
      ...writer.endStep(isCancelled ? "cancelled" : "stop"),
      { type: "agent-end", agent: id, outcome: isCancelled ? "cancelled" : "done" } as const,
    ]);
  }
}

const factsOf = (parent: Call | undefined) => {
  const input = fieldsOf(parent?.input);
  const task = lineOf(input["description"]) ?? lineOf(input["prompt"]);
  return {
    name: lineOf(input["subagent_type"], 60) ?? "sub-agent",
    ...(parent?.state === "executing" && { call: parent.id }),
    ...(task !== undefined && { task }),
  };
};
