import type { Entry, Event } from "../events.ts";
import type { AgentNode, CallNode, Node, PartNode, RunState, StepNode } from "../state.ts";
import { describeText, isOver } from "../view.ts";
import { callEnd, callStart } from "./call-lines.ts";
import { type LineOptions, line } from "./line.ts";
import {
  type ViewOptions,
  agentEnd,
  agentStart,
  nodeLines,
  settledLength,
  stepLines,
  textLines,
  thinkingLine,
} from "./node-lines.ts";
import { footLines, headLines } from "./render.ts";
import { createAgentPaths } from "./agent-paths.ts";
import { oneLine, terminalText } from "./terminal-text.ts";

/**
 * Returns the lines that an entry adds to output in event order, for pipes and files. Call it after folding the entry.
 */
export const createPlainText = (
  state: RunState,
  options: LineOptions & Pick<ViewOptions, "howToAnswer">,
): ((entry: Entry) => string[]) => {
  /** How much of each open text was printed, and the incomplete last line of each call's output. */
  const printed = new Map<string, number>();
  const unfinished = new Map<string, string>();
  const paths = createAgentPaths(state);

  const text = (part: PartNode, view: ViewOptions): string[] => {
    const from = printed.get(part.id) ?? 0;
    const to = settledLength(part);
    if (isOver(part)) printed.delete(part.id);
    else if (to > from) printed.set(part.id, to);
    return to > from || describeText(part).note ? textLines(part, from, to, view) : [];
  };

  const output = (call: string, delta: string, view: ViewOptions): string[] => {
    const lines = ((unfinished.get(call) ?? "") + delta).split("\n");
    unfinished.set(call, lines.pop()!.slice(-MAX_LINE));
    const shown = lines.flatMap((words) => terminalText(words).split("\n"));
    return shown.map((words) => line([["dim", `  │ ${words}`]], view));
  };

  /** An invalid log may reference nodes that never started. */
  const of = <Kind extends Node>(id: string, lines: (node: Kind) => string[]): string[] => {
    const node = state.nodes.get(id);
    return node ? lines(node as Kind) : [];
  };

  const linesOf = (event: Event, view: ViewOptions): string[] => {
    switch (event.type) {
      case "run-start":
        return headLines(state, view);
      case "run-resume":
        return nodeLines(state.root.items.at(-1)!, view);
      case "agent-start":
        return of(event.agent, (agent: AgentNode) => agentStart({ ...agent, name: paths.nameOf(agent) }, view));
      case "agent-end":
        return of(event.agent, (agent: AgentNode) => agentEnd({ ...agent, name: paths.nameOf(agent) }, view));
      case "step-start":
        return of(event.step, (step: StepNode) => stepLines(step, view));
      case "step-retry":
        return of(event.step, (step: StepNode) => stepLines(step, view).slice(-1));
      case "text-delta":
      case "text-end":
        return of(event.part, (part: PartNode) => text(part, view));
      case "thinking-end":
        return of(event.part, (part: PartNode) => [thinkingLine(part, view)]);
      case "tool-execute":
        return of(event.call, (call: CallNode) => callStart(call, view));
      case "tool-output-delta":
        return output(event.call, event.delta, view);
      case "tool-end": {
        const rest = unfinished.get(event.call) ? output(event.call, "\n", view) : [];
        unfinished.delete(event.call);
        return [...rest, ...of(event.call, (call: CallNode) => callEnd(call, view))];
      }
      case "ask-start":
      case "ask-end":
        return of(event.ask, (ask) => nodeLines(ask, view));
      case "status":
        return event.text === "" ? [] : [line([["cyan", `… ${oneLine(event.text)}`]], view)];
      case "citation":
      case "file":
      case "embed":
      case "notice":
        return nodeLines(
          { kind: event.type, id: "", agent: event.agent, version: 0, startedAt: 0, endedAt: 0, event },
          view,
        );
      case "run-end":
        return footLines(state, view);
      case "step-end":
      case "text-start":
      case "thinking-start":
      case "thinking-delta":
      case "tool-start":
      case "tool-input-delta":
      case "tool-input-end":
      case "tool-progress":
      case "data":
        return [];
      default:
        event satisfies never;
        return [];
    }
  };

  return ({ at, event }) => {
    const isEdge = event.type === "agent-start" || event.type === "agent-end";
    const path = paths.pathOf(event.agent);
    const place = isEdge ? path.slice(0, -1) : path;
    const lines = linesOf(event, { ...options, now: at }).map((words) => indented(words, place.length));
    if (lines.length === 0) return [];
    const heads = paths.switchTo(place).map(({ name, depth }) =>
      indented(
        line(
          [
            ["cyan", "◇ "],
            ["bold", oneLine(name)],
          ],
          options,
        ),
        depth,
      ),
    );
    if (event.type === "agent-start") paths.switchTo(path);
    if (event.type === "agent-end") paths.leave(path);
    return [...heads, ...lines];
  };
};

const MAX_LINE = 64 * 1024;

const indented = (words: string, depth: number): string => "  ".repeat(depth) + words;
