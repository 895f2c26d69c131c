import type { EncodeOptions, Frame } from "../../dialect.ts";
import type { CallOutcome, Json } from "../../events.ts";
import type { ResultImage } from "./images.ts";
import type { Item, Output } from "./output.ts";
import type { SideEvents } from "./side-events.ts";
import type { Pipe } from "./pipe.ts";
import { type Gap, withinCode } from "./text.ts";

export type Frames = readonly Frame[];

/** How a style displays events. Text of sub-agents is not shown, only their calls. */
export interface Show {
  /** The run has started. */
  start?(): Frames;
  /** Asks can be answered within the style's display, so no dialog has to open. */
  readonly asksInPlace?: true;
  startText(part: string, about: TextAbout): Frames;
  text(part: string, delta: string): Frames;
  endText(part: string): Frames;
  startThinking(part: string, at: number): Frames;
  thinking(part: string, delta: string): Frames;
  endThinking(part: string, at: number): Frames;
  startCall(call: Call): Frames;
  /** The arguments are complete. */
  readyCall(call: Call): Frames;
  executeCall(call: Call): Frames;
  endCall(call: Call, result: Result): Frames;
  /** A step of the root agent has ended. */
  endStep(hadCalls: boolean): Frames;
  /** Shown once in the status line when a sub-agent has ended. */
  readonly agentEnded?: string;
  /** Called after everything open has ended. */
  end(): Frames;
  /** The frames that end everything open, for a sender that continues without us. */
  will(message: string): Frames;
}

export interface TextAbout {
  /** The part that it replaces. */
  readonly replaces?: string | undefined;
  /** Set if the text is a tool's own. */
  readonly call?: Call | undefined;
}

export interface Call {
  /** The call's id in Open WebUI. */
  readonly key: string;
  readonly name: string;
  /** Its name, prefixed with the sub-agent that made it. */
  readonly label: string;
  /** The arguments streamed so far. */
  inputText: string;
  input: Json | undefined;
  /** A sub-agent worked on the call, so its result is an agent's text. */
  isTask: boolean;
  /** The model's provider runs it while the model output continues. */
  readonly isProvider: boolean;
}

interface ResultFile {
  readonly type: "file";
  readonly url: string;
  readonly name: string;
  /** Not set for an image, which newer versions would replace by their own icon. */
  readonly content_type?: string;
  readonly size: number;
}

export interface Result {
  readonly outcome: CallOutcome;
  /** The text that is available here. For a failure, the error. */
  readonly text: string;
  /** The URL of the whole result. */
  readonly link: string;
  readonly gap?: Gap | undefined;
  /** Files of the result. Open WebUI does not show them, but the text contains their URLs. */
  readonly files: readonly ResultFile[];
  /** Those that are images. */
  readonly images: readonly ResultImage[];
}

export const isOk = ({ outcome }: Pick<Result, "outcome">): boolean => outcome === "ok" || outcome === "deferred";

/** What a style works with. */
export interface Stage {
  readonly output: Output;
  readonly side: SideEvents;
  readonly pipe: Pipe | undefined;
  /** The URL of the run's embedded view, read-only or with answering. Undefined if no page may frame it. */
  readonly embed: EncodeOptions["embed"];
}

export type CreateShow = (stage: Stage) => Show;

/** Text and thinking as separate items, shared by all styles but one. */
export const createWords = (
  output: Output,
): Pick<Show, "startText" | "text" | "endText" | "startThinking" | "thinking" | "endThinking"> => {
  const texts = new Map<string, { readonly item: Item; readonly isTool: boolean; isOpen: boolean }>();
  const thoughts = new Map<string, { readonly item: Item; readonly since: number }>();

  return {
    startText(part, { replaces, call }) {
      const replaced = replaces === undefined ? undefined : texts.get(replaces);
      if (replaced) {
        texts.set(part, { ...replaced, isOpen: false });
        return output.swap(replaced.item, "");
      }
      const message = { id: `msg_${part}`, type: "message", role: "assistant", status: "in_progress" };
      const { item, frames } = output.add(message);
      texts.set(part, { item, isTool: call !== undefined, isOpen: false });
      return frames;
    },
    text(part, delta) {
      const text = texts.get(part);
      if (!text || delta === "") return [];
      if (!text.isTool) return output.write(text.item, delta);
      const opening = text.isOpen ? "" : "```text\n";
      text.isOpen = true;
      return output.write(text.item, opening + withinCode(delta));
    },
    endText(part) {
      const text = texts.get(part);
      if (!text?.isOpen) return [];
      text.isOpen = false;
      return output.write(text.item, "\n```");
    },
    startThinking(part, at) {
      const thought = {
        id: `rs_${part}`,
        type: "reasoning",
        status: "in_progress",
        summary: [],
        started_at: at / 1000,
      };
      const { item, frames } = output.add(thought);
      thoughts.set(part, { item, since: at });
      return frames;
    },
    thinking(part, delta) {
      const thought = thoughts.get(part);
      return thought && delta !== "" ? output.write(thought.item, delta) : [];
    },
    endThinking(part, at) {
      const thought = thoughts.get(part);
      if (!thought) return [];
      thoughts.delete(part);
      const { item, since } = thought;
      return [
        ...output.set(item, { status: "completed", ended_at: at / 1000, duration: Math.round((at - since) / 1000) }),
        ...output.endThought(item),
        // Versions up to 0.11.0 learn the duration only from a snapshot. But a snapshot ends all thinking there.
        ...(thoughts.size === 0 ? output.snapshot(SMALL) : []),
      ];
    },
  };
};

const SMALL = 16 * 1024;
