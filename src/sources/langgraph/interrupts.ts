import { type Fields, fieldsOf, listOf } from "../../json.ts";
import type { Answer, Event, EventOf, Json } from "../../events.ts";
import { jsonOf, lineOf, textOf } from "../upstream/reading.ts";
import type { OpenCall } from "../upstream/agent-writer.ts";
import { fieldNamed, isSame } from "./protocol.ts";

export type AskEvent = Omit<EventOf<"ask-start">, "type" | "ask" | "call">;

/** One question to the user. */
export interface Question {
  readonly event: AskEvent;
  /** The call that it is about. */
  readonly call?: OpenCall | undefined;
  /** The events with which the answer ends items, because LangGraph does not report them. */
  ended?(answer: Answer | undefined): Event[];
}

/** An interrupt as questions, and its response built from their answers, in the same order. An answer is undefined if there was none. */
export interface Interrupt {
  readonly questions: readonly Question[];
  response(answers: readonly (Answer | undefined)[]): Json;
}

/** Calls that an interrupt may be about. */
export interface Calls {
  /** Requested, but not executing. */
  readonly waiting: readonly OpenCall[];
  readonly executing: readonly OpenCall[];
}

const MAX_REQUESTS = 100;
const NOBODY = "No one answered.";

export const interruptOf = (payload: unknown, calls: Calls): Interrupt => {
  const fields = fieldsOf(payload);
  if (Array.isArray(fieldNamed(fields, "action_requests"))) return reviewOf(fields, calls);
  const tool = fieldsOf(fieldNamed(fields, "tool_call"));
  if (fields["type"] === "tool" && typeof tool["name"] === "string") return clientToolOf(tool, calls);
  return questionOf(payload, calls);
};

/** LangChain's HumanInTheLoopMiddleware: one interrupt for several calls, without their ids. */
const reviewOf = (payload: Fields, { waiting }: Calls): Interrupt => {
  const isCamel = payload["actionRequests"] !== undefined;
  const taken = new Set<OpenCall>();
  const configs = listOf(fieldNamed(payload, "review_configs")).map(fieldsOf);
  const reviews = listOf(fieldNamed(payload, "action_requests"))
    .slice(0, MAX_REQUESTS)
    .map((one) => {
      const { name: given, args, description } = fieldsOf(one);
      const name = lineOf(given, 200) ?? "tool";
      const call =
        waiting.find((each) => each.name === name && isSame(each.input, args) && !taken.has(each)) ??
        waiting.find((each) => each.name === name && !taken.has(each));
      if (call) taken.add(call);
      const config = configs.find((each) => fieldNamed(each, "action_name") === given);
      const listed = config && fieldNamed(config, "allowed_decisions");
      const allowed = new Set<unknown>(Array.isArray(listed) ? (listed as unknown[]) : ["approve", "edit", "reject"]);
      return { name, args, description, call, allowed };
    });
  const decisionOf = ({ name, args, allowed }: (typeof reviews)[number], answer: Answer | undefined): Json => {
    if (answer?.allow === true && answer.input === undefined && allowed.has("approve")) return { type: "approve" };
    if (answer?.allow === true) {
      const action = { name, args: answer.input ?? jsonOf(args) ?? {} };
      return { type: "edit", [isCamel ? "editedAction" : "edited_action"]: action };
    }
    const message = answer ? answer.reason : NOBODY;
    if (allowed.has("reject")) return { type: "reject", ...(message !== undefined && { message }) };
    return { type: "respond", message: message ?? "The user denied this call." };
  };
  return {
    questions: reviews.map(({ name, args, description, call, allowed }): Question => {
      const canDecide = ["reject", "respond"].some((one) => allowed.has(one));
      const event = {
        title: `Allow ${name}?`,
        ...messageOf(textOf(description)?.startsWith("Tool execution requires approval") ? undefined : description),
        ...(args !== undefined && { value: jsonOf(args)! }),
        allows: [...(allowed.has("edit") ? ["edit" as const] : []), ...(canDecide ? ["reason" as const] : [])],
      };
      if (!call)
        return { event: { kind: "confirmation", ...event, allows: event.allows.filter((one) => one === "reason") } };
      return {
        event: { kind: "approval", ...event },
        call,
        ended: (answer) => {
          if (answer?.allow === true) return [];
          const note = answer ? answer.reason : NOBODY;
          const error = { code: "denied", message: note ?? "The user denied this call." };
          return call.writer.endCall(call, "denied", { error });
        },
      };
    }),
    response: (answers) => ({ decisions: reviews.map((review, index) => decisionOf(review, answers[index])) }),
  };
};

/** LangChain's tools without a function, which the client runs. */
const clientToolOf = (tool: Fields, { executing }: Calls): Interrupt => {
  const name = lineOf(tool["name"], 200) ?? "tool";
  const call = executing.find(({ key }) => key === tool["id"]) ?? only(executing.filter((one) => one.name === name));
  const args = jsonOf(tool["args"]);
  return {
    questions: [
      {
        event: {
          kind: "result",
          title: `Result of ${name}`,
          message: "This tool runs outside the agent. Run it and enter its result.",
          ...(args !== undefined && { value: args }),
        },
        call,
      },
    ],
    response: ([answer]) => answer?.value ?? "No one provided a result.",
  };
};

/** Field names that are commonly used for the text of a question. */
const WORDS = ["question", "message", "prompt", "query", "ask", "title", "description", "text"];
const MAX_MESSAGE = 4000;

/** `interrupt()` with any value, and any answer. */
const questionOf = (payload: unknown, { executing }: Calls): Interrupt => {
  const fields = fieldsOf(payload);
  const word = WORDS.find((one) => typeof fields[one] === "string" && fields[one] !== "");
  const listed = ["options", "choices"].find((one) => Array.isArray(fields[one]));
  const options = listOf(listed && fields[listed])
    .slice(0, MAX_REQUESTS)
    .map(optionOf);
  const schema = fieldNamed(fields, "response_schema") ?? fields["schema"];
  const hasSchema = typeof schema === "object" && schema !== null;
  const shown = new Set([word, listed, hasSchema ? "schema" : undefined, "response_schema", "responseSchema"]);
  const rest = Object.entries(fields).filter(([name]) => !shown.has(name));
  const lines = [
    typeof payload === "string" ? payload : word === undefined ? "" : textOf(fields[word])!,
    ...rest.map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`),
    Array.isArray(payload) ? JSON.stringify(payload) : "",
  ];
  const text = lines.filter((line) => line !== "").join("\n");
  const call = only(executing);
  return {
    questions: [
      {
        event: {
          kind: options.length > 0 ? "choice" : "input",
          title: call ? `${call.name} asks` : "The agent asks",
          ...(text !== "" && { message: text.slice(0, MAX_MESSAGE) }),
          ...(options.length > 0 && { options }),
          ...(hasSchema && options.length === 0 && { schema: jsonOf(schema)! }),
        },
        call,
      },
    ],
    response: ([answer]) => answer?.value ?? answer?.allow ?? null,
  };
};

const optionOf = (option: unknown): { value: Json; label?: string; description?: string } => {
  const { value, id, label, name, description } = fieldsOf(option);
  const chosen = value ?? id ?? label ?? name;
  if (chosen === undefined) return { value: jsonOf(option) ?? null };
  const text = lineOf(label, 200) ?? lineOf(name, 200);
  const about = lineOf(description, 500);
  return {
    value: jsonOf(chosen)!,
    ...(text !== undefined && { label: text }),
    ...(about !== undefined && { description: about }),
  };
};

const only = (calls: readonly OpenCall[]): OpenCall | undefined => (calls.length === 1 ? calls[0] : undefined);

const messageOf = (value: unknown): { message?: string } => {
  const message = textOf(value)?.slice(0, MAX_MESSAGE);
  return message ? { message } : {};
};
