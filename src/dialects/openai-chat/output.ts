import type { EncodeOptions } from "../../dialect.ts";
import type { Entry, Event, EventOf, Finish, Problem, Usage } from "../../events.ts";
import type { EventsAbout } from "../../protocol.ts";
import { answerPage } from "../frames/answer-page.ts";
import { type CallStyle, createCallTexts } from "./call-texts.ts";
import { type FinishReason, finishReason } from "../openai/finish-reason.ts";
import { askText } from "../frames/ask-text.ts";
import { inOrder } from "./in-order.ts";

/** The parts of a run that a chat completion can carry. */
export type Output =
  | { readonly kind: "start"; readonly run: string; readonly name: string; readonly created: number }
  | { readonly kind: "content"; readonly text: string }
  | { readonly kind: "reasoning"; readonly text: string }
  | { readonly kind: "call"; readonly index: number; readonly id: string; readonly name: string }
  | { readonly kind: "arguments"; readonly index: number; readonly text: string }
  | { readonly kind: "end"; readonly finish: FinishReason; readonly usage?: Usage }
  | { readonly kind: "error"; readonly problem: Problem };

interface Call {
  readonly name: string;
  /** Its index among the announced calls. Undefined while it may still turn out to be the agent's own. */
  index: number | undefined;
  /** Arguments not sent yet. */
  held: string;
}

/**
 * Emits the root agent's text and thinking, and the calls that the client runs. Omits the agent's own calls and its
 * sub-agents' output: a client would run those calls and take that output for the answer.
 */
export const createOutput = (options: EncodeOptions, style?: CallStyle): ((entry: Entry) => readonly Output[]) => {
  const textOf = style && createCallTexts(style, options);
  const content = inOrder();
  const reasoning = inOrder();
  const calls = new Map<string, Call>();
  let run = "";
  let step = "";
  let finish: Finish = "stop";
  let announced = 0;
  let deferred = false;

  const textOutput = (kind: "content" | "reasoning", text: string): readonly Output[] => (text ? [{ kind, text }] : []);

  const announce = (id: string, call: Call): Output[] => {
    call.index = announced++;
    return [{ kind: "call", index: call.index, id, name: call.name }];
  };

  const input = (id: string, text: string): readonly Output[] => {
    const call = calls.get(id);
    if (!call || text === "") return [];
    if (call.index !== undefined) return [{ kind: "arguments", index: call.index, text }];
    call.held += text;
    return [];
  };

  const endCall = ({ call: id, outcome }: EventOf<"tool-end">): readonly Output[] => {
    const call = calls.get(id);
    calls.delete(id);
    if (!call || outcome !== "deferred") return [];
    deferred = true;
    if (call.index !== undefined) return [];
    const shown = announce(id, call);
    return call.held ? [...shown, { kind: "arguments", index: call.index!, text: call.held }] : shown;
  };

  const end = ({ outcome, error, usage, awaiting }: EventOf<"run-end">): Output => {
    if (outcome === "done")
      return {
        kind: "end",
        finish: deferred || awaiting?.length ? "tool_calls" : finishReason(finish),
        ...(usage && { usage }),
      };
    const problem = error ?? { code: outcome, message: `the run was ${outcome}` };
    return { kind: "error", problem };
  };

  const root = (event: Event): readonly Output[] => {
    switch (event.type) {
      case "step-start":
        step = event.step;
        return [];
      case "step-end":
        finish = event.finish;
        return [];
      case "text-start":
        content.start(event.part, event.call ?? step);
        return [];
      case "text-delta":
        return textOutput("content", content.more(event.part, event.delta));
      case "text-end":
        return textOutput("content", content.end(event.part));
      case "thinking-start":
        reasoning.start(event.part, event.part);
        return [];
      case "thinking-delta":
        return textOutput("reasoning", reasoning.more(event.part, event.delta));
      case "thinking-end":
        return textOutput("reasoning", reasoning.end(event.part));
      case "tool-start": {
        const call: Call = { name: event.name, index: undefined, held: "" };
        if (!event.provider) calls.set(event.call, call);
        return event.client ? announce(event.call, call) : [];
      }
      case "tool-input-delta":
        return input(event.call, event.delta);
      case "tool-input-end":
        return event.input === undefined ? [] : input(event.call, JSON.stringify(event.input));
      case "tool-execute":
        calls.delete(event.call);
        return [];
      case "tool-end":
        return endCall(event);
      case "run-end":
        return [end(event)];
      default:
        event satisfies EventsAbout<"run" | "agent" | "step" | "tool" | "ask" | "mark">;
        return [];
    }
  };

  return ({ at, event }) => {
    if (event.type === "run-start") {
      run = event.run;
      textOf?.(event);
      return [{ kind: "start", run, name: event.name, created: Math.floor(at / 1000) }];
    }
    if (event.type === "ask-start") {
      reasoning.start(event.ask, event.ask);
      const text = askText(event, answerPage(options, run));
      return textOutput("reasoning", reasoning.more(event.ask, text) + reasoning.end(event.ask));
    }
    const outputs = event.agent === undefined ? root(event) : [];
    const text = textOf?.(event);
    if (text === undefined || event.type !== "tool-end") return outputs;
    content.start(event.call, event.call);
    return [...outputs, ...textOutput("content", content.more(event.call, text) + content.end(event.call))];
  };
};
