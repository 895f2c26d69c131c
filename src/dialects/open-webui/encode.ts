import type { EncodeOptions, Frame } from "../../dialect.ts";
import type { Entry, EventOf, Json, RunOutcome } from "../../events.ts";
import { answerPath, dialogOf, questionOf } from "./asks.ts";
import { tableFor } from "./compatibility.ts";
import { createOutput, type Item } from "./output.ts";
import { debugText } from "./pipe.ts";
import { resultOf } from "./results.ts";
import type { Call, Frames } from "./show.ts";
import { createSideEvents, eventFrame } from "./side-events.ts";
import { createStatus } from "./status.ts";
import { readStyle } from "./styles.ts";
import { codeSpan, plain } from "./text.ts";
import { cut, whole } from "./whole-characters.ts";
import { RESUMED } from "../frames/status-line.ts";
import { chatUsage } from "../openai/chat-usage.ts";
import { optionsText } from "../frames/ask-text.ts";
import { createAnswerEnd, type Incomplete, incompleteText } from "../frames/incomplete.ts";
import { openaiError } from "../openai/errors.ts";
import { finishReason } from "../openai/finish-reason.ts";
import { parseJson } from "../../json.ts";

export const DONE = "[DONE]";
/** Marks calls of sub-agents, which are removed when they come back with the history. */
export const SUB_AGENT = "sub-agent:";

/** The owner of the status while the agent writes text. Set once per text, because Open WebUI stores each status. */
const WRITING = "writing";

interface OpenCall extends Call {
  readonly isRoot: boolean;
  isReady: boolean;
}

/** Encodes a run for Open WebUI: the items of its message, and the events around it. */
export const createEncoder = (options: EncodeOptions): ((entry: Entry) => Frames) => {
  const { link } = options;
  const { createShow, pipe } = readStyle(options.style);
  const table = tableFor({ way: pipe?.mode ?? "connection", version: pipe?.version });
  const output = createOutput();
  const side = createSideEvents(options, table, () => pageOf("read"));
  const status = createStatus(table, { endsWithoutUs: pipe === undefined });
  const show = createShow({ output, side, pipe, embed: options.embed });
  const calls = new Map<string, OpenCall>();
  const agents = new Map<string, string>();
  const waits = new Map<string, { readonly item?: Item; readonly path?: string }>();
  const answerEnd = createAnswerEnd();
  let run = "";
  let hadCalls = false;
  let lastWill = "";

  const pageOf = (access: "read" | "answer"): string => options.page?.(access) ?? `/?run=${encodeURIComponent(run)}`;

  const prefixed = (agent: string | undefined, text: string): string =>
    agent === undefined ? text : `🤖 Sub-agent: ${agents.get(agent) ?? "unknown"} › ${text}`;

  const setStatus = (owner: string, agent: string | undefined, text: string, at: number, often?: boolean): Frames =>
    agent !== undefined && pipe?.subAgentStatus === false ? [] : status.set(owner, prefixed(agent, text), at, often);

  const startCall = ({ call: id, name: tool, agent, provider = false }: EventOf<"tool-start">, at: number): Frames => {
    const by = agent === undefined ? undefined : (agents.get(agent) ?? "unknown");
    const call: OpenCall = {
      key: by === undefined ? id : SUB_AGENT + id,
      name: tool,
      label: by === undefined ? tool : `${by} › ${tool}`,
      isTask: false,
      isProvider: provider,
      isRoot: agent === undefined,
      isReady: false,
      inputText: "",
      input: undefined,
    };
    calls.set(id, call);
    if (call.isRoot && !provider) hadCalls = true;
    const statusFrames = setStatus(id, agent, `🔧 ${tool}...`, at);
    const started = show.startCall(call);
    // Send the will before the call: the connection may break in between, and a will for a missing call is harmless.
    return [...will(), ...started, ...statusFrames, ...(call.isRoot ? status.end(WRITING, at) : [])];
  };

  const ready = (call: OpenCall): Frames => {
    if (call.isReady) return [];
    call.isReady = true;
    call.input ??= parse(call.inputText);
    return show.readyCall(call);
  };

  const executeCall = ({ call: id, input }: EventOf<"tool-execute">): Frames => {
    const call = calls.get(id);
    if (!call) return [];
    if (input !== undefined) {
      call.input = input;
      call.isReady = false;
    }
    return [...ready(call), ...show.executeCall(call)];
  };

  const endCall = (event: EventOf<"tool-end">, at: number): Frames => {
    const call = calls.get(event.call);
    if (!call) return [];
    calls.delete(event.call);
    return [
      ...ready(call),
      ...show.endCall(
        call,
        resultOf(event, link, () => pageOf("read")),
      ),
      ...will(),
      ...status.end(event.call, at),
    ];
  };

  const startAsk = (event: EventOf<"ask-start">, at: number): Frames => {
    const tool = event.call === undefined ? undefined : calls.get(event.call)?.name;
    const question = questionOf(event, tool);
    const isInPlace = show.asksInPlace === true && event.kind !== "execute";
    const dialog = pipe && !isInPlace ? dialogOf(event, { tool, pipe, table }) : undefined;
    const waiting = status.set(event.ask, `✋ ${question} (waiting for your answer)`, at);
    if (dialog) {
      const { type, data, kind } = dialog;
      const path = answerPath(run, event.ask, kind);
      waits.set(event.ask, { path });
      return [...waiting, toPipe({ call: { type, data }, answer: path })];
    }
    const message = { id: `ask_${event.ask}`, type: "message", role: "assistant", status: "completed" };
    const { item, frames } = output.add(message);
    waits.set(event.ask, { item });
    const where = isInPlace ? `Answer above, or [here](${pageOf("answer")})` : `[Answer here](${pageOf("answer")})`;
    const options = optionsText(event);
    const text = `✋ ${codeSpan(question)} ${options === "" ? "" : `${codeSpan(options)} `}${where}`;
    return [...waiting, ...frames, ...output.write(item, text)];
  };

  const endAsk = ({ ask }: EventOf<"ask-end">, at: number): Frames => {
    const { item, path } = waits.get(ask) ?? {};
    waits.delete(ask);
    return [
      ...(item ? output.swap(item, "") : []),
      ...(path === undefined ? [] : [toPipe({ answered: path })]),
      ...status.end(ask, at),
    ];
  };

  /** The frames that the pipe must send if it loses the connection to us, because Open WebUI would run a call left open. */
  const will = (): Frames => {
    if (!pipe) return [];
    const frames = show.will("Error: The connection to the agent was lost.");
    const last = frames.length > 0 ? [...frames, eventFrame("status", { description: "Failed", done: true })] : [];
    const now = last.map(({ data }) => data).join(",");
    if (now === lastWill) return [];
    lastWill = now;
    return [{ data: `{"runcast":{"will":[${now}]}}` }];
  };

  /** Ends the open calls before the run ends, because Open WebUI would run a call left open. */
  const closeAll = (at: number): Frames =>
    [...calls.keys()].flatMap((call) => endCall({ type: "tool-end", call, outcome: "interrupted" }, at));

  const end = ({ outcome, error, usage }: EventOf<"run-end">, at: number): Frames => {
    const used = chatUsage(usage);
    const problem = error ?? { code: outcome, message: `The run was ${outcome}.` };
    const isError = outcome === "error" || outcome === "interrupted";
    const { incomplete } = answerEnd;
    return [
      ...closeAll(at),
      ...show.end(),
      ...side.end(),
      ...status.finish(incomplete ? incompleteText(incomplete) : LAST_WORDS[outcome]),
      ...(incomplete ? [{ data: JSON.stringify({ choices: [finishChoice(incomplete)] }) }] : []),
      ...(used ? [{ data: JSON.stringify({ choices: [], usage: used }) }] : []),
      ...(isError
        ? [
            {
              data: JSON.stringify({
                error: openaiError({ ...problem, message: plain(cut(problem.message, 8000)), status: 500 }),
              }),
            },
          ]
        : []),
      { data: DONE },
    ];
  };

  return ({ at, event }) => {
    const isRoot = event.agent === undefined;
    answerEnd.take(event);
    switch (event.type) {
      case "text-delta":
        return isRoot ? show.text(event.part, event.delta) : [];
      case "thinking-delta":
        return isRoot ? show.thinking(event.part, event.delta) : [];
      case "tool-input-delta": {
        const call = calls.get(event.call);
        if (call) call.inputText += event.delta;
        return [];
      }
      case "run-start":
        run = event.run;
        return [...status.start(debugText(run, pipe, table)), ...(show.start?.() ?? [])];
      case "run-resume":
        return status.set(RESUMED, RESUMED, at);
      case "agent-start": {
        const call = event.call === undefined ? undefined : calls.get(event.call);
        if (call) call.isTask = true;
        agents.set(event.agent, event.name);
        return pipe?.subAgentStatus === false ? [] : status.set(event.agent, `🤖 Sub-agent: ${event.name}...`, at);
      }
      case "agent-end":
        if (pipe?.subAgentStatus === false) return [];
        return [...(show.agentEnded ? status.pass(show.agentEnded) : []), ...status.end(event.agent, at)];
      case "step-start":
        if (!isRoot) return [];
        hadCalls = false;
        return [...status.end(RESUMED, at), ...status.end(WRITING, at)];
      case "step-retry":
        return setStatus(
          `retry ${event.agent ?? ""}`,
          event.agent,
          `Trying again (${event.attempt}): ${event.error.message}`,
          at,
        );
      case "step-end": {
        const after = status.end(`retry ${event.agent ?? ""}`, at);
        return isRoot ? [...after, ...show.endStep(hadCalls)] : after;
      }
      case "text-start": {
        if (!isRoot) return [];
        const call = event.call === undefined ? undefined : calls.get(event.call);
        const frames = show.startText(event.part, { replaces: event.replaces, call });
        return call ? frames : [...frames, ...status.set(WRITING, "Writing...", at)];
      }
      case "text-end":
        return isRoot ? show.endText(event.part) : [];
      case "thinking-start":
        return isRoot ? show.startThinking(event.part, at) : [];
      case "thinking-end":
        return isRoot ? show.endThinking(event.part, at) : [];
      case "tool-start":
        return startCall(event, at);
      case "tool-input-end": {
        const call = calls.get(event.call);
        if (!call) return [];
        if (event.input !== undefined) call.input = event.input;
        return ready(call);
      }
      case "tool-execute":
        return executeCall(event);
      case "tool-progress": {
        const text = progressText(event);
        return text === "" || !calls.has(event.call) ? [] : setStatus(event.call, event.agent, text, at, true);
      }
      case "tool-output-delta":
        return [];
      case "tool-end":
        return endCall(event, at);
      case "ask-start":
        return startAsk(event, at);
      case "ask-end":
        return endAsk(event, at);
      case "status":
        if (event.call !== undefined && !calls.has(event.call)) return [];
        return setStatus(event.call ?? event.agent ?? run, event.agent, event.text, at);
      case "citation":
        return pipe?.citations === false ? [] : side.citation(event);
      case "file":
        return side.file(event);
      case "embed":
        return side.embed(event);
      case "notice":
        return side.notice(event);
      case "data":
        return isRoot ? side.data(event) : [];
      case "run-end":
        return end(event, at);
      default:
        // A log of a later version may contain unknown events.
        event satisfies never;
        return [];
    }
  };
};

const LAST_WORDS: Readonly<Record<RunOutcome, string>> = {
  done: "Complete",
  cancelled: "Stopped",
  error: "Failed",
  interrupted: "Failed",
};

const finishChoice = ({ finish }: Incomplete) => ({ index: 0, delta: {}, finish_reason: finishReason(finish) });

const progressText = ({ note, fraction }: EventOf<"tool-progress">): string =>
  [note, fraction !== undefined && `${Math.round(fraction * 100)}%`].filter(Boolean).join(", ");

const parse = (text: string): Json | undefined => {
  if (text === "") return {};
  const value = parseJson(text);
  return value === undefined ? undefined : whole(value);
};
/** A frame for the pipe itself, which it does not forward. */
const toPipe = (payload: unknown): Frame => ({ data: JSON.stringify({ runcast: payload }) });
