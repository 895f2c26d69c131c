import type { Entry, Event, EventOf, Problem, Usage } from "../events.ts";
import type { EventsAbout } from "../protocol.ts";
import { providerOf } from "./provider-of.ts";

export type Attributes = Readonly<Record<string, string | number | string[]>>;

export interface SpanStart {
  /** The id of the run, agent, step, call, or ask in the log. */
  readonly id: string;
  /** The id of the parent span. The run's span has none. */
  readonly parent?: string;
  readonly name: string;
  /** Whether the work is done by a remote service. */
  readonly isRemote?: boolean;
  readonly at: number;
  readonly attributes: Attributes;
}

/** Receives the spans. */
export interface SpanSink {
  start(span: SpanStart): void;
  event(id: string, name: string, at: number, attributes: Attributes): void;
  /** `error` is a code, never a message, because messages may quote the run's content. */
  end(id: string, at: number, attributes: Attributes, error?: string): void;
}

interface OpenCall {
  readonly start: EventOf<"tool-start">;
  readonly seq: number;
  readonly at: number;
  hasSpan: boolean;
}

/**
 * Turns a run's entries into spans that follow OpenTelemetry's conventions for generative AI: `invoke_agent` for the
 * run and each sub-agent, `chat` for each step, `execute_tool` for each call. Spans contain ids, names, numbers, and
 * codes, but no content of the run.
 */
export const createSpans = (sink: SpanSink) => {
  let run = "";
  const calls = new Map<string, OpenCall>();
  /** The open step of each agent, until its first delta. */
  const silent = new Map<string | undefined, { readonly step: string; readonly at: number }>();
  const firstChunks = new Map<string, number>();
  const models = new Map<string | undefined, string>();
  const spanOf = (agent: string | undefined) => agent ?? run;

  const start = (span: Omit<SpanStart, "attributes">, seq: number, attributes: Attributes): void =>
    sink.start({ ...span, attributes: { ...attributes, "runcast.run": run, "runcast.seq": seq } });

  const execute = (call: string, open: OpenCall, at: number, seq: number): void => {
    const { name, agent, provider, client, repeats } = open.start;
    open.hasSpan = true;
    start({ id: call, parent: spanOf(agent), name: `execute_tool ${name}`, at }, seq, {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": name,
      "gen_ai.tool.call.id": call,
      "gen_ai.tool.type": provider || client ? "extension" : "function",
      ...(repeats !== undefined && { "runcast.repeats": repeats }),
    });
  };

  const invoke = (span: Omit<SpanStart, "name" | "attributes">, seq: number, about: Invoked): void => {
    const { name, model } = about;
    start({ ...span, name: `invoke_agent ${name}` }, seq, {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.provider.name": providerOf(model),
      "gen_ai.agent.name": name,
      "gen_ai.agent.id": about.id,
      ...(model !== undefined && { "gen_ai.request.model": model }),
      ...(about.thread !== undefined && { "gen_ai.conversation.id": about.thread }),
    });
  };

  const take = ({ seq, at, event }: Entry): void => {
    switch (event.type) {
      case "run-start":
        run = event.run;
        if (event.model !== undefined) models.set(undefined, event.model);
        return invoke({ id: run, at }, seq, { ...event, id: event.agentKey ?? event.name });
      case "run-resume":
        return sink.event(run, "runcast.resume", at, { "runcast.owner": event.owner, "runcast.reason": event.reason });
      case "agent-start": {
        const { agent, parent, call } = event;
        if (event.model !== undefined) models.set(agent, event.model);
        const cause = call !== undefined && calls.get(call)?.hasSpan ? call : spanOf(parent);
        return invoke({ id: agent, parent: cause, at }, seq, { ...event, id: agent });
      }
      case "agent-end":
        models.delete(event.agent);
        return sink.end(event.agent, at, { ...outcome(event), ...usage(event.usage) }, failure(event));
      case "step-start": {
        const { step, agent, model = models.get(agent) ?? models.get(undefined) } = event;
        silent.set(agent, { step, at });
        const name = model === undefined ? "chat" : `chat ${model}`;
        return start({ id: step, parent: spanOf(agent), name, isRemote: true, at }, seq, {
          "gen_ai.operation.name": "chat",
          "gen_ai.provider.name": providerOf(model),
          ...(model !== undefined && { "gen_ai.request.model": model }),
          "runcast.step": step,
        });
      }
      case "step-retry":
        return sink.event(event.step, "runcast.retry", at, {
          "runcast.attempt": event.attempt,
          "runcast.wait_ms": event.wait,
          "error.type": event.error.code,
        });
      case "step-end": {
        const { step, finish } = event;
        silent.delete(event.agent);
        const first = firstChunks.get(step);
        firstChunks.delete(step);
        return sink.end(
          step,
          at,
          {
            "gen_ai.response.finish_reasons": [FINISH[finish] ?? finish],
            ...(first !== undefined && { "gen_ai.response.time_to_first_chunk": first / 1000 }),
            ...usage(event.usage),
          },
          finish === "error" || finish === "interrupted" ? finish : undefined,
        );
      }
      case "tool-start":
        return void calls.set(event.call, { start: event, seq, at, hasSpan: false });
      case "tool-execute": {
        const open = calls.get(event.call);
        return open && !open.hasSpan ? execute(event.call, open, at, seq) : undefined;
      }
      case "tool-end": {
        const open = calls.get(event.call);
        calls.delete(event.call);
        if (!open) return;
        // The start of a provider's call is unknown, and a denied call never started. Use the time it was requested.
        if (!open.hasSpan) execute(event.call, open, open.at, open.seq);
        return sink.end(event.call, at, outcome(event), failure(event));
      }
      case "ask-start": {
        const { ask, kind, agent, call } = event;
        const parent = call !== undefined && calls.get(call)?.hasSpan ? call : spanOf(agent);
        return start({ id: ask, parent, name: `ask ${kind}`, at }, seq, { "runcast.ask": ask });
      }
      case "ask-end":
        return sink.end(event.ask, at, outcome(event));
      case "run-end":
        return sink.end(run, at, { ...outcome(event), ...usage(event.usage) }, failure(event));
      default:
        event satisfies EventsAbout<"text" | "thinking" | "tool" | "mark">;
        if (silent.size > 0 && "delta" in event) firstPiece(event, at);
    }
  };
  const firstPiece = (event: Extract<Event, { delta: string }>, at: number): void => {
    const open = silent.get(event.agent);
    if (!open || event.type === "tool-output-delta") return;
    silent.delete(event.agent);
    firstChunks.set(open.step, at - open.at);
  };
  return { take };
};

interface Invoked {
  readonly id: string;
  readonly name: string;
  readonly model?: string | undefined;
  readonly thread?: string | undefined;
}

/** Finish reasons as the conventions name them. */
const FINISH: Readonly<Record<string, string>> = { tools: "tool_calls", filter: "content_filter" };

const outcome = (event: { readonly outcome: string }): Attributes => ({ "runcast.outcome": event.outcome });

/** A denial or cancellation by the user is not a failure. */
const failure = (event: { readonly outcome: string; readonly error?: Problem | undefined }): string | undefined =>
  ["error", "timeout", "interrupted"].includes(event.outcome) ? (event.error?.code ?? event.outcome) : undefined;

const usage = ({ input, output, reasoning, cached }: Usage = {}): Attributes => ({
  ...(input !== undefined && { "gen_ai.usage.input_tokens": input }),
  ...(output !== undefined && { "gen_ai.usage.output_tokens": output }),
  ...(cached !== undefined && { "gen_ai.usage.cache_read.input_tokens": cached }),
  ...(reasoning !== undefined && { "gen_ai.usage.reasoning.output_tokens": reasoning }),
});
