import { type Fields, fieldsOf, listOf } from "../../json.ts";
import type { Answer, Event, Json } from "../../events.ts";
import { jsonOf, lineOf } from "../upstream/reading.ts";
import type { NewId, OpenCall } from "../upstream/agent-writer.ts";
import { stepAsk } from "./step-asks.ts";
import { toolAsk } from "./tool-asks.ts";
import type { ToolFields } from "./tool.ts";

/** One ask, and how its answer changes what is sent back. */
interface Waiting {
  readonly ask: string;
  readonly call: OpenCall | undefined;
  /** The tool's or step's fields with the answer filled in. */
  readonly resolve: (answer: Answer | undefined) => { readonly fields: Fields; readonly events: Event[] };
  readonly key: string;
}

/** An ask in the log. `end` is absent while it is open. */
export interface EarlierAsk {
  readonly ask: string;
  readonly end?: { readonly answer: Answer | undefined };
}

/** What a paused run waits for. Agno expects all answers together: anything omitted counts as rejected. */
export class Pause {
  readonly #newId: NewId;
  readonly #waiting = new Map<string, Waiting>();
  /** The fields to send back, by the key of the call or step. */
  readonly #answers = new Map<string, Fields>();
  /** The asks about calls in the log, by call id, for a run that another process followed. */
  #earlier: ReadonlyMap<string, EarlierAsk> = new Map();
  /** The event that announced the pause. */
  raw: Fields = {};

  constructor(newId: NewId) {
    this.#newId = newId;
  }

  /** The asks without an answer. */
  get open(): readonly string[] {
    return [...this.#waiting.values()].flatMap(({ ask, call }) => (call && call.ask !== ask ? [] : [ask]));
  }

  has(call: OpenCall): boolean {
    return [...this.#waiting.values()].some((one) => one.call === call);
  }

  restore(earlier: ReadonlyMap<string, EarlierAsk>): void {
    this.#earlier = earlier;
  }

  /** Whether the log has an answer about this call. */
  isAnswered(call: string | undefined): boolean {
    return call !== undefined && this.#earlier.get(call)?.end !== undefined;
  }

  /** Asks about a call. If the log has the ask or its answer, the user is not asked again. */
  ask(call: OpenCall, tool: ToolFields): Event[] {
    const earlier = this.#earlier.get(call.id);
    const ask = earlier?.ask ?? this.#newId("ask");
    const { event, resolve } = toolAsk(call, tool);
    this.#waiting.set(ask, { ask, call, key: tool.key, resolve });
    if (earlier?.end) return this.answered(ask, earlier.end.answer);
    if (earlier) {
      call.ask = ask;
      return [];
    }
    const begin = event.kind === "result" ? call.writer.execute(call) : [];
    call.ask = ask;
    return [...begin, call.writer.own({ type: "ask-start", ask, ...event, meta: { agno: { call: call.id } } })];
  }
  /** Asks about the steps of a workflow. Asks about their agents' tools are already open. */
  askAboutSteps(requirements: readonly unknown[]): Event[] {
    return requirements.flatMap((one) => {
      const step = fieldsOf(one);
      const asked = stepAsk(step);
      if (!asked) return [];
      const ask = this.#newId("ask");
      this.#waiting.set(ask, {
        ask,
        call: undefined,
        key: stepKey(step),
        resolve: (answer) => ({ fields: asked.resolve(answer), events: [] }),
      });
      return [{ type: "ask-start", ask, ...asked.event } as const];
    });
  }

  /** The user has answered, or (undefined) no answer will come. The ask-end is already in the log. */
  answered(ask: string, answer: Answer | undefined): Event[] {
    const waiting = this.#waiting.get(ask);
    if (!waiting) return [];
    this.#waiting.delete(ask);
    if (waiting.call?.ask === ask) waiting.call.ask = undefined;
    const { fields, events } = waiting.resolve(answer);
    this.#answers.set(waiting.key, fields);
    return events;
  }

  /** The tools of an agent's run, with the answers. */
  tools(): Json {
    return listOf(this.raw["tools"]).map((one) => jsonOf(this.#answered(fieldsOf(one))) ?? null);
  }

  /** The requirements of a team's run, with the answers. */
  requirements(all: unknown = this.raw["requirements"]): Json {
    return listOf(all).map((one) => {
      const requirement = fieldsOf(one);
      const tool = this.#answered(fieldsOf(requirement["tool_execution"]));
      const { confirmed, confirmation_note, result, user_input_schema, user_feedback_schema } = tool;
      return {
        ...requirement,
        tool_execution: tool,
        ...(typeof confirmed === "boolean" && { confirmation: confirmed }),
        ...(confirmation_note != null && { confirmation_note }),
        ...(tool["external_execution_required"] === true && { external_execution_result: result }),
        ...(user_input_schema != null && { user_input_schema }),
        ...(user_feedback_schema != null && { user_feedback_schema }),
      } as unknown as Json;
    });
  }

  /** The requirements of a workflow's run, with the answers. */
  steps(requirements: readonly unknown[]): Json {
    return requirements.map((one) => {
      const step = fieldsOf(one);
      const answered = this.#answers.get(stepKey(step)) ?? step;
      const executors = step["executor_requirements"];
      return {
        ...answered,
        ...(Array.isArray(executors) && { executor_requirements: this.requirements(executors) }),
      } as Json;
    });
  }

  clear(): void {
    this.#waiting.clear();
    this.#answers.clear();
    this.raw = {};
  }

  #answered(tool: Fields): Fields {
    return this.#answers.get(lineOf(tool["tool_call_id"], 500) ?? "") ?? tool;
  }
}

const stepKey = (step: Fields): string =>
  `step ${String(step["step_id"])} ${String(step["retry_count"])} ${String(step["is_post_execution"])}`;
