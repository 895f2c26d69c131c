import type { EncodeOptions, Frame } from "../../dialect.ts";
import type { Entry, Event, EventOf, Json, Problem } from "../../events.ts";
import type { EventsAbout } from "../../protocol.ts";
import { OUTCOME_TEXT } from "../fast-api/outcome-text.ts";
import { answerPage } from "../frames/answer-page.ts";
import { askText } from "../frames/ask-text.ts";
import { createAnswerEnd, incompleteText } from "../frames/incomplete.ts";
import { problemText } from "../frames/problem-text.ts";
import { resultText } from "../frames/result-text.ts";
import { createStatusLine, RESUMED } from "../frames/status-line.ts";
import { parseJson } from "../../json.ts";

/** The style of clients that insert line breaks and reset their status themselves: only the family's documented frames. */
export const STRICT = "strict";

const IDLE = "Thinking...";
const MAX_CHARACTERS = 2000;
const MAX_OF_A_TASK = 200;

interface OpenCall {
  readonly name: string;
  /** The arguments so far, as JSON text. */
  text: string;
  input: Json | undefined;
}

export const createRalphEncoder = (options: EncodeOptions): ((entry: Entry) => readonly Frame[]) => {
  const { link } = options;
  const isStrict = options.style === STRICT;
  const calls = new Map<string, OpenCall>();
  const line = createStatusLine(IDLE);
  const answerEnd = createAnswerEnd();
  let run = "";
  /** Whether the text so far ends within a line. Clients render a call only at the start of a line. */
  let isLineOpen = false;

  const newLine = (): readonly Frame[] => {
    if (!isLineOpen || isStrict) return [];
    isLineOpen = false;
    return [frame({ type: "message", content: "\n\n" })];
  };

  const nameOf = (call: string): string => calls.get(call)?.name || "unknown";

  const startCall = ({ call, input }: EventOf<"tool-execute">): readonly Frame[] => {
    line.own(runningOf(call), `Running ${nameOf(call)}...`);
    if (input !== undefined && calls.has(call)) calls.get(call)!.input = input;
    return [
      ...newLine(),
      frame({
        type: "tool_call_start",
        tool_call_id: call,
        tool_name: nameOf(call),
        tool_args: inputOf(calls.get(call)),
      }),
    ];
  };

  const endCall = (event: EventOf<"tool-end">): readonly Frame[] => {
    const { call, outcome } = event;
    const named = { tool_call_id: call, tool_name: nameOf(call) };
    const tool_args = inputOf(calls.get(call));
    calls.delete(call);
    const next = line.end(call, runningOf(call));
    const after = isStrict && next === IDLE ? [] : status(next);
    if (outcome === "deferred") return [...after, ...status(line.pass(`${named.tool_name} is left to the client`))];
    const result = resultText(event, link);
    if (outcome !== "ok") {
      const error = cut(event.error?.message || result || OUTCOME_TEXT[outcome]);
      return [...newLine(), frame({ type: "tool_call_error", ...named, error, tool_args }), ...after];
    }
    const file = event.content?.find((content) => content.type === "file");
    const result_url = file && link(file);
    return [
      ...newLine(),
      frame({ type: "tool_call_complete", ...named, tool_args, result: cut(result), is_error: false, result_url }),
      ...after,
    ];
  };

  /** Only the root agent's text is the answer. Sub-agents show only their calls. */
  const say = (type: "message" | "reasoning", { agent, delta }: EventOf<"text-delta" | "thinking-delta">) => {
    if (agent !== undefined || delta === "") return [];
    if (type === "message") isLineOpen = !delta.endsWith("\n");
    return [frame({ type, content: delta })];
  };

  /** Clients append an error's message to the text. Only `done` ends their status, so it follows an error too. */
  const endRun = (event: EventOf<"run-end">): readonly Frame[] => {
    const { incomplete } = answerEnd;
    const done = frame({ type: "done" });
    if (event.outcome === "done" && !incomplete) return [done];
    if (!incomplete) return [...newLine(), failure(event), done];
    const { finish, hint } = incomplete;
    const error = { message: incompleteText(incomplete), code: `answer-${finish}`, hint, outcome: "done" };
    return [...newLine(), frame({ type: "error", ...error }), done];
  };

  return ({ event }) => {
    answerEnd.take(event);
    switch (event.type) {
      case "text-delta":
        return say("message", event);
      case "thinking-delta":
        return say("reasoning", event);
      case "run-start":
        run = event.run;
        return [frame({ type: "status", content: IDLE })];
      case "text-start":
        // Text that was sent cannot be removed, so its replacement appears below it.
        return [
          ...status(line.end(retryOf(event))),
          ...(event.replaces !== undefined && event.agent === undefined ? newLine() : []),
        ];
      case "step-start":
        return event.agent === undefined ? newLine() : [];
      case "thinking-start":
      case "step-end":
        return status(line.end(retryOf(event)));
      case "step-retry":
        return status(line.set(retryOf(event), `Trying again (${event.attempt}): ${event.error.message}`));
      case "tool-start":
        calls.set(event.call, { name: event.name, text: "", input: undefined });
        return status(line.end(retryOf(event)));
      case "tool-input-delta": {
        const call = calls.get(event.call);
        if (call) call.text += event.delta;
        return [];
      }
      case "tool-input-end":
        if (event.input !== undefined && calls.has(event.call)) calls.get(event.call)!.input = event.input;
        return [];
      case "tool-execute":
        return startCall(event);
      case "tool-end":
        return endCall(event);
      case "tool-progress":
        return status(line.set(event.call, progressText(nameOf(event.call), event)));
      case "status":
        if (event.call !== undefined && !calls.has(event.call)) return [];
        return status(line.set(event.call ?? event.agent ?? run, event.text));
      case "run-resume":
        return status(line.pass(RESUMED));
      case "notice":
        return status(line.pass(event.text));
      case "agent-start": {
        const task = event.task === undefined ? "" : `: ${event.task}`;
        return status(line.set(event.agent, `${event.name}${cut(task, MAX_OF_A_TASK)}`));
      }
      case "agent-end":
        return status(line.end(event.agent));
      case "ask-start":
        return status(line.set(event.ask, askText(event, answerPage(options, run), nameOf)));
      case "ask-end":
        return status(line.end(event.ask));
      case "run-end":
        return endRun(event);
      default:
        event satisfies EventsAbout<"text" | "thinking" | "tool" | "mark">;
        return [];
    }
  };
};

const frame = (fields: Record<string, unknown>): Frame => ({ event: "message", data: JSON.stringify(fields) });

const status = (content: string | undefined): readonly Frame[] =>
  content === undefined ? [] : [frame({ type: "status", content })];

const runningOf = (call: string): string => `running ${call}`;

const retryOf = ({ agent = "" }: Event): string => `retry ${agent}`;

const failure = ({ outcome, error }: EventOf<"run-end">): Frame => {
  const { message, ...rest }: Partial<Problem> = error ?? {};
  const fields = message || `The run ${outcome === "error" ? "failed" : `was ${outcome}`}.`;
  return frame({
    type: "error",
    message: problemText({ ...rest, message: fields }),
    ...rest,
    ...(outcome !== "error" && { outcome }),
  });
};

const inputOf = (call: OpenCall | undefined): Json => {
  if (!call) return {};
  if (call.input !== undefined) return call.input;
  if (call.text === "") return {};
  // Invalid arguments of a model are shown as raw text.
  call.input = parseJson(call.text, call.text);
  call.text = "";
  return call.input;
};

const progressText = (name: string, { note, fraction }: EventOf<"tool-progress">): string =>
  [note, fraction !== undefined && `${Math.round(fraction * 100)}%`].filter(Boolean).join(", ") || `Running ${name}...`;

/** Counts code points, not UTF-16 code units. */
const cut = (text: string, most: number = MAX_CHARACTERS): string => {
  if (text.length <= most) return text;
  let units = 0;
  for (let characters = 0; characters < most && units < text.length; characters++)
    units += text.codePointAt(units)! > 0xffff ? 2 : 1;
  return units < text.length ? `${text.slice(0, units)}...` : text;
};
