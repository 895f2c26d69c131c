import type { EncodeOptions, Frame } from "../../dialect.ts";
import type { CallOutcome, Json } from "../../events.ts";
import type { Item, Output } from "./output.ts";
import type { SideEvents } from "./side-events.ts";
import type { Pipe } from "./style.ts";

export type Frames = readonly Frame[];

/** How a style shows what happens. What a sub-agent says is not shown, only its calls. */
export interface Show {
  /** `call`: a tool's own words. */
  startText(part: string, about: { readonly replaces?: string | undefined; readonly call?: Call | undefined }): Frames;
  text(part: string, delta: string): Frames;
  startThinking(part: string, at: number): Frames;
  thinking(part: string, delta: string): Frames;
  endThinking(part: string, at: number): Frames;
  startCall(call: Call): Frames;
  /** Its arguments are known now. */
  readyCall(call: Call): Frames;
  executeCall(call: Call): Frames;
  endCall(call: Call, result: Result): Frames;
  /** A step of the root agent. */
  endStep(hadCalls: boolean): Frames;
  /** All that is open has ended. */
  end(): Frames;
}

export interface Call {
  /** Its id as Open WebUI knows it. */
  readonly key: string;
  readonly name: string;
  /** Its name, after that of the sub-agent that made it. */
  readonly label: string;
  /** The name of the sub-agent that made it. */
  readonly agent: string | undefined;
  /** The arguments as they came. */
  inputText: string;
  input: Json | undefined;
}

export interface Result {
  readonly outcome: CallOutcome;
  /** All of it that is known here; for a failure, what went wrong. */
  readonly text: string;
  /** Where all of it is. */
  readonly link: string;
  readonly images: readonly { readonly type: "image"; readonly url: string; readonly name: string }[];
}

/** What styles work with. */
export interface Stage {
  readonly output: Output;
  readonly side: SideEvents;
  readonly pipe: Pipe | undefined;
  readonly link: EncodeOptions["link"];
}

export type Style = (stage: Stage) => Show;

/** Text and thinking as items of their own, which all styles but one want. */
export const createWords = (
  output: Output,
): Pick<Show, "startText" | "text" | "startThinking" | "thinking" | "endThinking"> => {
  const parts = new Map<string, Item>();
  const started = new Map<string, number>();

  const more = (part: string, delta: string): Frames => {
    const item = parts.get(part);
    return item && delta !== "" ? output.write(item, delta) : [];
  };

  return {
    startText(part, { replaces }) {
      const replaced = replaces === undefined ? undefined : parts.get(replaces);
      if (replaced) {
        parts.set(part, replaced);
        return output.swap(replaced, "");
      }
      const { item, frames } = output.add({
        id: `msg_${part}`,
        type: "message",
        role: "assistant",
        status: "in_progress",
      });
      parts.set(part, item);
      return frames;
    },
    text: more,
    startThinking(part, at) {
      started.set(part, at);
      const { item, frames } = output.add({
        id: `rs_${part}`,
        type: "reasoning",
        status: "in_progress",
        summary: [],
        started_at: at / 1000,
      });
      parts.set(part, item);
      return frames;
    },
    thinking: more,
    endThinking(part, at) {
      const item = parts.get(part);
      const since = started.get(part);
      started.delete(part);
      parts.delete(part);
      if (!item || since === undefined) return [];
      const duration = Math.round((at - since) / 1000);
      const frames = output.set(item, { status: "completed", ended_at: at / 1000, duration });
      // Versions up to 0.11.0 learn how long it took from a snapshot alone.
      return [...frames, ...output.snapshot(SMALL)];
    },
  };
};

const SMALL = 16 * 1024;
