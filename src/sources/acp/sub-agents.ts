import { type Fields, fieldsOf } from "../../json.ts";
import type { Event } from "../../events.ts";
import type { Call } from "./call.ts";
import type { Calls } from "./calls.ts";
import { lineOf, textOf } from "../upstream/reading.ts";
import { type NewId, Speaker } from "./speaker.ts";

interface SubAgent {
  readonly speaker: Speaker;
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

  /** The speaker of an update: the root, or a sub-agent, which starts with its first update. */
  speakerOf(update: Fields, root: Speaker): { readonly speaker: Speaker; readonly events: Event[] } {
    const key = textOf(fieldsOf(fieldsOf(update["_meta"])["claudeCode"])["parentToolUseId"]);
    const known = key === undefined ? undefined : this.#open.get(key);
    if (known) return { speaker: known.speaker, events: [] };
    if (key === undefined || this.#open.size >= MOST) return { speaker: root, events: [] };
    const parent = this.#calls.get(key);
    // A nested sub-agent would need its parent to stay open as long as itself, which is not guaranteed.
    if ((!parent && !this.#calls.hasEnded(key)) || parent?.speaker.agent !== undefined)
      return { speaker: root, events: [] };
    const id = this.#newId("agent");
    const speaker = new Speaker(id, this.#newId);
    this.#open.set(key, { id, speaker });
    const events: Event[] = parent ? parent.execute() : [];
    return { speaker, events: [...events, { type: "agent-start", agent: id, ...factsOf(parent) }] };
  }

  /** The prompt is over. Ends all sub-agents. */
  end(): Event[] {
    return [...this.#open.values()].flatMap(({ id, speaker }) => [
      ...speaker.endStep("stop"),
      { type: "agent-end", agent: id, outcome: "done" } as const,
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
