import type { EncodeOptions, Frame } from "../../dialect.ts";
import type { Entry, Event, EventOf } from "../../events.ts";
import type { EventsAbout } from "../../protocol.ts";
import { EMPTY_RESULT, FAILED } from "./call-text.ts";
import { OUTCOME_TEXT } from "../fast-api/outcome-text.ts";
import { answerPage } from "../frames/answer-page.ts";
import { askText } from "../frames/ask-text.ts";
import { createAnswerEnd, incompleteText } from "../frames/incomplete.ts";
import { problemText } from "../frames/problem-text.ts";
import { resultText } from "../frames/result-text.ts";
import { RESUMED } from "../frames/status-line.ts";

export const createDeepAgentEncoder = (options: EncodeOptions): ((entry: Entry) => readonly Frame[]) => {
  const { link } = options;
  const names = new Map<string, string>();
  const agents = new Map<string, { readonly name: string; readonly depth: number }>();
  const answerEnd = createAnswerEnd();
  let run = "";
  let hasText = false;
  let step: string | undefined;
  /** The step of the latest text, and whether that text ends within a line. */
  let last: { readonly step: string | undefined; isOpen: boolean } | undefined;

  const depthOf = (agent: string | undefined): number => (agent === undefined ? 0 : (agents.get(agent)?.depth ?? 1));
  const nameOf = (call: string): string => names.get(call) || "unknown";
  /** The depth, and the id to distinguish parallel sub-agents of the same depth. */
  const of = ({ agent }: Event) => ({
    agent_depth: depthOf(agent),
    ...(agent !== undefined && { agent_id: agent }),
  });
  const status = (event: Event, description: string): readonly Frame[] =>
    description === "" ? [] : [frame("status", { description, ...of(event) })];
  const token = (event: Event, content: string): Frame => frame("token", { content, ...of(event) });

  const endCall = (event: EventOf<"tool-end">): readonly Frame[] => {
    const { call, outcome } = event;
    const isError = outcome !== "ok" && outcome !== "deferred";
    const text = resultText(event, link);
    const fallback = outcome === "ok" ? EMPTY_RESULT : OUTCOME_TEXT[outcome];
    const shown = isError ? `${FAILED}${event.error?.message || text || fallback}` : text || fallback;
    const name = nameOf(call);
    names.delete(call);
    return [
      frame("tool_end", { tool_id: call, name, result: shown, ...of(event), ...(isError && { is_error: true }) }),
    ];
  };

  const startAgent = ({ agent, parent, name }: EventOf<"agent-start">): readonly Frame[] => {
    const depth = depthOf(parent) + 1;
    agents.set(agent, { name, depth });
    return [frame("agent_start", { agent_id: agent, name, depth, ...(parent !== undefined && { parent_id: parent }) })];
  };

  const endAgent = (event: EventOf<"agent-end">): readonly Frame[] => {
    const { agent, outcome, error } = event;
    const depth = depthOf(agent);
    const name = agents.get(agent)?.name ?? "unknown";
    agents.delete(agent);
    if (outcome === "done") return [frame("agent_end", { agent_id: agent, depth })];
    // Clients treat every end as a success, so a status with the failure follows.
    const description = `${name} ${outcome === "error" ? "failed" : `was ${outcome}`}${error ? `: ${error.message}` : ""}`;
    return [
      frame("agent_end", { agent_id: agent, depth, outcome, error }),
      frame("status", { description, agent_depth: depth - 1 }),
    ];
  };

  /** The family has no event for failures, so clients get them as text in the answer. */
  const endRun = (event: EventOf<"run-end">): readonly Frame[] => {
    const { outcome, error } = event;
    const { incomplete } = answerEnd;
    if (outcome === "done" && !incomplete) return [{ data: '{"type":"done"}' }];
    const message = error?.message || `The run ${outcome === "error" ? "failed" : `was ${outcome}`}.`;
    const shown = incomplete ? incompleteText(incomplete) : `${FAILED}${problemText({ ...error, message })}`;
    return [
      frame("token", { content: hasText ? `\n\n${shown}` : shown, agent_depth: 0, is_error: true }),
      frame("status", { description: shown, agent_depth: 0, is_error: true }),
      frame("done", { outcome, error, finish: incomplete?.finish }),
    ];
  };

  /** Clients join all text into one. Text of another step and replacements start a new paragraph. */
  const startText = (event: EventOf<"text-start">): readonly Frame[] => {
    if (event.agent !== undefined || event.call !== undefined)
      return event.replaces === undefined ? [] : [token(event, "\n\n")];
    const isApart = last?.isOpen && (last.step !== step || event.replaces !== undefined);
    last = { step, isOpen: !isApart && last?.isOpen === true };
    return isApart ? [token(event, "\n\n")] : [];
  };

  return ({ event }) => {
    answerEnd.take(event);
    switch (event.type) {
      case "text-delta":
        if (event.delta === "") return [];
        hasText ||= event.agent === undefined;
        if (event.agent === undefined && last) last.isOpen = !event.delta.endsWith("\n");
        return [token(event, event.delta)];
      case "text-start":
        return startText(event);
      case "step-start":
        if (event.agent === undefined) step = event.step;
        return [];
      case "run-start":
        run = event.run;
        return status(event, `Starting ${event.name}...`);
      case "tool-start":
        names.set(event.call, event.name);
        return [];
      case "tool-execute":
        return [frame("tool_start", { tool_id: event.call, name: nameOf(event.call), ...of(event) })];
      case "tool-end":
        return endCall(event);
      case "agent-start":
        return startAgent(event);
      case "agent-end":
        return endAgent(event);
      case "status":
      case "notice":
        return status(event, event.text);
      case "run-resume":
        return status(event, RESUMED);
      case "step-retry":
        return status(event, `Trying again (${event.attempt}): ${event.error.message}`);
      case "tool-progress":
        return status(event, progressText(nameOf(event.call), event));
      case "ask-start":
        return status(event, askText(event, answerPage(options, run), nameOf));
      case "run-end":
        return endRun(event);
      default:
        event satisfies EventsAbout<"step" | "text" | "thinking" | "tool" | "ask" | "mark">;
        return [];
    }
  };
};

const frame = (type: string, data: Record<string, unknown>): Frame => ({ data: JSON.stringify({ type, data }) });

const progressText = (name: string, { note, fraction }: EventOf<"tool-progress">): string =>
  [`🔧 ${name}`, note, fraction !== undefined && `${Math.round(fraction * 100)}%`].filter(Boolean).join(" ");
