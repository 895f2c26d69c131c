import { type Fields, fieldsOf, listOf, parseJson } from "../../json.ts";
import type { Event } from "../../events.ts";
import { countOf, jsonOf, lineOf, textOf } from "../upstream/reading.ts";
import type { OpenCall, AgentWriter } from "../upstream/agent-writer.ts";
import { Citations } from "../upstream/citations.ts";
import { fieldNamed } from "./protocol.ts";
import { finishOf, usageOf } from "./results.ts";

/** A call whose arguments are streamed. */
interface Arguments {
  readonly call: OpenCall;
  text: string;
}

/** One response of a model, block by block. One message is one step. */
export class OpenMessage {
  readonly #writer: AgentWriter;
  readonly #arguments = new Map<number, Arguments>();
  /** Blocks that were streamed. */
  readonly #streamed = new Set<number>();
  readonly #citations = new Citations();
  /** The text so far, used to recognize the message in the state. */
  text = "";

  constructor(writer: AgentWriter) {
    this.#writer = writer;
  }

  event(data: Fields): Event[] {
    this.#checkStep();
    const index = countOf(data["index"]) ?? 0;
    switch (data["event"]) {
      case "content-block-start":
        return this.#start(index, fieldsOf(data["content"]));
      case "content-block-delta":
        return this.#delta(index, fieldsOf(data["delta"]));
      case "content-block-finish":
        return this.#finish(index, fieldsOf(data["content"]));
      case "message-finish":
        return this.finish(data);
      default:
        return [];
    }
  }

  #start(index: number, content: Fields): Event[] {
    if (content["type"] === "text" || content["type"] === "reasoning") {
      const text = textOf(content[content["type"]]) ?? "";
      if (text !== "") this.#streamed.add(index);
      const events = this.#writer.endPart();
      return [...events, ...(content["type"] === "text" ? this.#say(text) : this.#writer.say("thinking", text))];
    }
    if (content["type"] === "tool_call_chunk" || content["type"] === "tool_call") return this.#call(index, content);
    return [];
  }

  #call(index: number, content: Fields): Event[] {
    const name = lineOf(content["name"], 200) ?? "tool";
    const key = textOf(content["id"]) || `${name} ${index}`;
    if (this.#writer.calls.has(key)) return [];
    const { call, events } = this.#writer.startCall(key, name);
    const open: Arguments = { call, text: "" };
    this.#arguments.set(index, open);
    return [...events, ...this.#input(open, textOf(content["args"]) ?? "")];
  }

  #delta(index: number, delta: Fields): Event[] {
    const open = this.#arguments.get(index);
    this.#streamed.add(index);
    switch (delta["type"]) {
      case "text-delta":
        return this.#say(textOf(delta["text"]));
      case "reasoning-delta":
        return this.#writer.say("thinking", textOf(delta["reasoning"]) ?? "");
      case "tool-call-delta":
        return open ? this.#input(open, textOf(delta["args"]) ?? "") : [];
      case "block-delta": {
        // Contains the complete text so far.
        const whole = textOf(fieldsOf(delta["fields"])["args"]) ?? "";
        return open && whole.startsWith(open.text) ? this.#input(open, whole.slice(open.text.length)) : [];
      }
      default:
        return [];
    }
  }

  #finish(index: number, content: Fields): Event[] {
    if (content["type"] === "tool_call" || content["type"] === "invalid_tool_call") {
      const events = this.#arguments.has(index) ? [] : this.#call(index, content);
      return [...events, ...this.#endInput(index, content["args"])];
    }
    const isStreamed = this.#streamed.has(index);
    if (content["type"] === "text")
      return [...(isStreamed ? [] : this.#say(textOf(content["text"]))), ...this.#cited(content["annotations"])];
    if (isStreamed) return [];
    return content["type"] === "reasoning" ? this.#writer.say("thinking", textOf(content["reasoning"]) ?? "") : [];
  }

  /** Ends the response, with its usage and finish reason. */
  finish(data: Fields = {}): Event[] {
    this.#checkStep();
    const inputs = [...this.#arguments.keys()].flatMap((index) => this.#endInput(index, undefined));
    return [...inputs, ...this.#writer.answered(usageOf(data["usage"])), ...this.#writer.settle(finishOf(data))];
  }

  /** Sources that the model names in its text. */
  #cited(annotations: unknown): Event[] {
    const sources = listOf(annotations)
      .map(fieldsOf)
      .filter(({ type }) => type === "citation")
      .map((one) => ({ url: one["url"], title: one["title"], text: fieldNamed(one, "cited_text") }));
    return this.#citations.add(sources, this.#writer);
  }

  #say(text: string | undefined): Event[] {
    this.text += text ?? "";
    return this.#writer.say("text", text ?? "");
  }

  #input(open: Arguments, delta: string): Event[] {
    const { call } = open;
    if (delta === "" || !this.#isOpen(call)) return [];
    open.text += delta;
    return [this.#writer.own({ type: "tool-input-delta", call: call.id, delta })];
  }

  /** Arguments belong to the step that requested the call. That step has ended if a call executes before the response is over. */
  #checkStep(): void {
    if (!this.#writer.isInStep) this.#arguments.clear();
  }

  /** Whether the call can take more arguments. A call that executes is complete, no matter what its server sends. */
  #isOpen(call: OpenCall): boolean {
    return this.#writer.calls.get(call.key) === call && !call.isExecuting;
  }

  #endInput(index: number, args: unknown): Event[] {
    const open = this.#arguments.get(index);
    if (!open) return [];
    this.#arguments.delete(index);
    const { call, text } = open;
    if (!this.#isOpen(call)) return [];
    const whole = typeof args === "string" ? parseJson(args) : args;
    if (text === "") return this.#writer.giveInput(call, jsonOf(whole));
    call.input = jsonOf(parseJson(text) ?? whole);
    return [this.#writer.own({ type: "tool-input-end", call: call.id })];
  }
}
