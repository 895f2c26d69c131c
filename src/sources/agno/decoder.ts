import type { Event, Json, Problem } from "../../events.ts";
import { Refusal } from "../../source.ts";
import { countOf, lineOf, textOf } from "../upstream/reading.ts";
import { type NewId, type OpenCall, AgentWriter } from "../upstream/agent-writer.ts";
import { Citations } from "../upstream/citations.ts";
import { type Fields, fieldsOf, listOf, parseJson } from "../../json.ts";
import { citedIn, failureText, followUps, ownFields, problemOf, stepEvents, total, usageOf } from "./facts.ts";
import { type Attachment, attachmentsOf, linksOf } from "./media.ts";
import { Members } from "./members.ts";
import { Pause } from "./pause.ts";
import { isPause, statusOf } from "./statuses.ts";
import { type ToolFields, UNASKED, isThought, toolOf } from "./tool.ts";

/** How a run ended on the server. */
export interface End {
  readonly outcome: "done" | "error" | "cancelled";
  readonly error?: Problem;
}

const MAX_BAD_FRAMES = 20;

/** Converts what an AgentOS sends for one run into events. It has no timer and no connection, and throws only Refusals. */
export class Decoder {
  readonly #root: AgentWriter;
  readonly #members: Members;
  readonly #citations = new Citations();
  #badFrames = 0;
  #thoughts = "";
  #hasAnswer = false;
  /** Whether the next frame is the first one after the user's answers. */
  #isContinuing = false;
  /** The id of the run on the server, once known. */
  run: string | undefined;
  /** The number of the last event, for runs that can be resumed. */
  index = -1;
  /** Set when the run is over. */
  end: End | undefined;
  /** The pending asks. Grows during the stream and is complete when `isPaused`. */
  readonly pause: Pause;
  isPaused = false;
  /** Bytes that came with the last frames. */
  attachments: Attachment[] = [];

  constructor(newId: NewId) {
    this.#root = new AgentWriter(undefined, newId);
    this.#members = new Members(newId, this.#root);
    this.pause = new Pause(newId);
  }

  get isHolding(): boolean {
    return this.#members.writers().some(({ isHolding }) => isHolding);
  }

  /** No further frame came for a moment: announced calls are now executing. */
  quiet(): Event[] {
    return this.#members.writers().flatMap((writer) => (writer.isHolding ? writer.settle() : []));
  }

  /** Decodes the data of one frame. */
  frame(data: string): Event[] {
    const fields = fieldsOf(parseJson(data));
    const name = textOf(fields["event"]);
    // The final output of a run may follow its events. It is not an event and has no name.
    if (name === undefined) return fields["run_id"] === undefined ? this.#bad() : [];
    if (this.end) return [];
    const index = countOf(fields["event_index"]);
    if (index !== undefined) {
      // Some versions number the events after a pause from 0 again.
      if (index <= this.index && !this.#isContinuing) return [];
      this.#isContinuing = false;
      this.index = index;
    }
    const events = this.#event(name.replace(/^Team(?=[A-Z])/, ""), fields);
    // Do not mark a pause: a process that takes the run over must read it again.
    return index === undefined || name.endsWith("Paused") ? events : marked(events, index);
  }

  /** Restores the open items that another process left in the log. */
  restore(past: { readonly run: string; readonly index: number }, entries: readonly Event[]): void {
    this.run = past.run;
    this.index = past.index;
    this.#citations.restore(entries);
    this.pause.restore(this.#members.restore(entries).asks);
  }

  /** The answers were sent and the run continues. */
  continued(isNewStream = true): void {
    this.#isContinuing = isNewStream;
    this.isPaused = false;
    this.pause.clear();
  }

  #event(name: string, fields: Fields): Event[] {
    if (name === "error") throw new Refusal("upstream-error", failureText(fields), { status: 502 });
    if (name.endsWith("Started") && this.run === undefined) this.run = textOf(fields["run_id"]);
    const run = textOf(fields["run_id"]) ?? this.run ?? "";
    if (run === this.run) return this.#ofRun(name, fields, this.#root);
    if (this.#members.hasEnded(run)) return [];
    const { writer, events } = this.#members.find(run, fields);
    return [...events, ...this.#ofRun(name, fields, writer)];
  }

  #ofRun(name: string, fields: Fields, writer: AgentWriter): Event[] {
    const isRoot = writer === this.#root;
    switch (name) {
      case "RunContinued":
        if (isRoot) this.continued(false);
        return [];
      case "RunStarted":
      case "WorkflowStarted":
        return isRoot ? [this.#session(fields)] : [];
      case "ModelRequestStarted":
        return [...this.#closeUnmentioned(writer), ...writer.startStep(lineOf(fields["model"]))];
      case "RunContent":
      case "RunIntermediateContent":
        return [...this.#content(fields, writer), ...this.#citations.add(citedIn(fields), writer)];
      case "ReasoningContentDelta":
        return writer.say("thinking", textOf(fields["reasoning_content"]) ?? "");
      case "ReasoningStep":
        return this.#reasoningStep(fields, writer);
      case "ReasoningCompleted":
        return writer.isInStep && !writer.isHolding ? writer.settle() : [];
      case "ModelRequestCompleted":
        return writer.answered(usageOf(fields));
      case "ToolCallStarted":
        return this.#toolStarted(toolOf(fields), writer);
      case "ToolCallCompleted":
      case "ToolCallError":
        return this.#toolEnded(toolOf(fields), fields, writer);
      case "RunPaused":
        return this.#paused(fields, writer);
      case "RunCompleted":
      case "WorkflowCompleted":
        return isRoot ? this.#completed(fields) : this.#members.end(writer, "done", fields, { usage: total(fields) });
      case "RunCancelled":
      case "WorkflowCancelled":
        return this.#ended(writer, { outcome: "cancelled" }, fields);
      case "RunError":
      case "WorkflowError":
        return this.#ended(writer, { outcome: "error", error: problemOf(fields) }, fields);
      case "CustomEvent":
        return [...writer.settle(), writer.own({ type: "data", name: "custom", value: ownFields(fields) })];
      case "FollowupsCompleted":
        return followUps(fields);
      default: {
        if (isRoot && isPause(name)) this.isPaused = true;
        const step = stepEvents(name, fields);
        if (step) return step;
        const status = statusOf(name, fields);
        return status === undefined ? [] : [...writer.settle(), writer.own({ type: "status", text: status })];
      }
    }
  }

  #session(fields: Fields): Event {
    const value = { id: textOf(fields["session_id"]) ?? "" };
    return { type: "data", name: "session", value, meta: { agno: { run: this.run ?? "" } } };
  }

  #content(fields: Fields, writer: AgentWriter): Event[] {
    const thought = textOf(fields["reasoning_content"]) ?? "";
    // Structured output is shown once, when the run completes.
    const text = textOf(fields["content"]) ?? "";
    // Text outside a step belongs to the executing call, if there is exactly one.
    const [only, ...others] = [...writer.calls.values()].filter(({ isExecuting }) => isExecuting);
    const call = !writer.isInStep && others.length === 0 ? only : undefined;
    if (text !== "" && writer === this.#root && !call) this.#hasAnswer = true;
    return [...writer.say("thinking", thought), ...writer.say("text", text, call)];
  }

  /** A reasoning agent's complete thoughts so far. If the last call was a thinking tool, it has already shown them. */
  #reasoningStep(fields: Fields, writer: AgentWriter): Event[] {
    const whole = textOf(fields["reasoning_content"]) ?? "";
    const more = whole.startsWith(this.#thoughts) ? whole.slice(this.#thoughts.length) : whole;
    this.#thoughts = whole;
    return this.#members.lastCall(writer) === "thought" ? [] : writer.say("thinking", more);
  }

  #toolStarted(tool: ToolFields, writer: AgentWriter): Event[] {
    const known = writer.calls.get(tool.key);
    if (known) {
      const isEdited = JSON.stringify(known.input) !== JSON.stringify(tool.args);
      return writer.execute(known, isEdited ? tool.args : undefined);
    }
    const { call, events } = this.#start(tool, writer);
    writer.ready(call);
    return events;
  }

  #start(tool: ToolFields, writer: AgentWriter): { readonly call: OpenCall; readonly events: Event[] } {
    const { call, events } = writer.startCall(tool.key, tool.name);
    return { call, events: [...events, ...writer.giveInput(call, tool.args)] };
  }

  #toolEnded(tool: ToolFields, fields: Fields, writer: AgentWriter): Event[] {
    const known = writer.calls.get(tool.key);
    // A failing tool is reported twice: as completed and as an error.
    if (!known && this.#members.isOver(writer, tool.key)) return [];
    const { call, events } = known ? { call: known, events: [] } : this.#start(tool, writer);
    if (!known) writer.ready(call);
    events.push(...writer.settle(), ...writer.execute(call));
    if (!call.isExecuting) return [...events, ...writer.endCall(call, "error", { error: UNASKED })];
    // The result only states that the member waits. The call ends with the member.
    if (this.#members.holdsBack(call)) return events;
    this.#members.callEnded(writer, call, isThought(tool.name));
    this.attachments.push(...attachmentsOf(fields, call));
    return [
      ...events,
      ...writer.endCall(call, tool.isError ? "error" : "ok", tool.result(this.#members.isCause(call), linksOf(fields))),
    ];
  }

  #paused(fields: Fields, writer: AgentWriter): Event[] {
    const events = [...this.quiet()];
    this.#members.paused(writer);
    const waiting: { readonly call: OpenCall; readonly tool: ToolFields }[] = [];
    for (const one of listOf(fields["tools"]).slice(0, 200)) {
      const tool = toolOf({ tool: one });
      const known = writer.calls.get(tool.key);
      if (!tool.isWaiting || (known && this.pause.has(known))) continue;
      const over = known ? undefined : this.#members.overCall(writer, tool.key);
      // The call was answered and ended before the process that followed the run died.
      if (over && this.pause.isAnswered(over.id)) {
        waiting.push({ call: over, tool });
        continue;
      }
      const started = known ? { call: known, events: [] } : this.#start(tool, writer);
      events.push(...started.events);
      waiting.push({ call: started.call, tool });
    }
    events.push(...writer.settle(), ...waiting.flatMap(({ call, tool }) => this.pause.ask(call, tool)));
    if (writer !== this.#root) return events;
    this.isPaused = true;
    this.pause.raw = fields;
    return [...events, ...this.#membersPaused(fields)];
  }

  /** A team repeats what its members wait for. This is new information if the members' own events are not sent. */
  #membersPaused(fields: Fields): Event[] {
    return listOf(fields["requirements"]).flatMap((one) => {
      const { member_run_id: run, member_agent_id, member_agent_name, tool_execution: tool } = fieldsOf(one);
      if (typeof run !== "string" || run === "" || this.#members.hasEnded(run)) return [];
      const facts = { agent_id: member_agent_id, agent_name: member_agent_name };
      const { writer, events } = this.#members.find(run, facts);
      return [...events, ...this.#paused({ tools: [tool] }, writer)];
    });
  }

  /** Ends calls that the run does not mention again after the user's answers. */
  #closeUnmentioned(writer: AgentWriter): Event[] {
    return [...writer.calls.values()].flatMap((call) =>
      call.isExecuting || writer.isHolding ? [] : writer.endCall(call, "interrupted"),
    );
  }

  #completed(fields: Fields): Event[] {
    const events = this.#root.settle();
    const { content } = fields;
    // A workflow's answer is the output of its last step, which has not been emitted yet.
    if (!this.#hasAnswer && content != null && content !== "")
      events.push(
        ...this.#root.say("text", typeof content === "string" ? content : JSON.stringify(content)),
        ...this.#root.settle(),
      );
    const { current_session_id: _, current_run_id: __, ...state } = fieldsOf(fields["session_state"]);
    if (Object.keys(state).length > 0) events.push({ type: "data", name: "state", value: state as Json });
    this.attachments.push(...attachmentsOf(fields, undefined));
    events.push(...this.#citations.add(citedIn(fields), this.#root), ...this.#members.closeAll("interrupted"));
    this.end = { outcome: "done" };
    return events;
  }

  #ended(writer: AgentWriter, end: End, fields: Fields): Event[] {
    if (writer !== this.#root) return this.#members.end(writer, end.outcome, fields, { error: end.error });
    this.end = end;
    return this.#members.closeAll(end.outcome === "cancelled" ? "cancelled" : "error");
  }

  #bad(): Event[] {
    if (++this.#badFrames > MAX_BAD_FRAMES)
      throw new Refusal("upstream-invalid", "The server sent data that cannot be read.", { status: 502 });
    if (this.#badFrames > 1) return [];
    return [
      { type: "notice", level: "warning", text: "The server sent something that cannot be read. It is skipped." },
    ];
  }
}

/** Stores the frame's number on its last event, so another process can continue from there. Text frames are counted instead. */
const marked = (events: Event[], index: number): Event[] => {
  const last = events.at(-1);
  if (!last || "delta" in last) return events;
  const { agno, ...rest } = fieldsOf(last.meta) as { agno?: Json };
  return [
    ...events.slice(0, -1),
    { ...last, meta: { ...(rest as object), agno: { ...fieldsOf(agno), index } } as Json },
  ];
};
