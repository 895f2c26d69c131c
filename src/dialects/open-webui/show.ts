import type { EncodeOptions, Frame } from "../../dialect.ts";
import type { CallOutcome, Json } from "../../events.ts";
import type { Item, Output } from "./output.ts";
import type { SideEvents } from "./side-events.ts";
import type { Pipe } from "./pipe.ts";
import { type Gap, withinCode } from "./text.ts";

export type Frames = readonly Frame[];

/** How a style shows what happens. What a sub-agent says is not shown, only its calls. */
export interface Show {
  /** The run has begun. */
  start?(): Frames;
  /** What is asked can be answered in what the style shows: no dialog has to open. */
  readonly asksInPlace?: true;
  startText(part: string, about: TextAbout): Frames;
  text(part: string, delta: string): Frames;
  endText(part: string): Frames;
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
  /** What the status line says once when a sub-agent has ended. */
  readonly agentEnded?: string;
  /** All that is open has ended. */
  end(): Frames;
  /** What ends all that is open, for whoever must do that without us. */
  will(message: string): Frames;
}

export interface TextAbout {
  /** The part whose place it takes. */
  readonly replaces?: string | undefined;
  /** They are a tool's own words. */
  readonly call?: Call | undefined;
}

export interface Call {
  /** Its id as Open WebUI knows it. */
  readonly key: string;
  readonly name: string;
  /** Its name, after that of the sub-agent that made it. */
  readonly label: string;
  /** The arguments as they came. */
  inputText: string;
  input: Json | undefined;
  /** A sub-agent has worked on it: what it answers with are an agent's words. */
  isTask: boolean;
  /** The model's provider runs it while the answer goes on. */
  readonly isProvider: boolean;
}

interface ResultFile {
  readonly type: "image" | "file";
  readonly url: string;
  readonly name: string;
  readonly content_type: string;
  readonly size: number;
}

export interface Result {
  readonly outcome: CallOutcome;
  /** All of it that is known here; for a failure, what went wrong. */
  readonly text: string;
  /** Where all of it is. */
  readonly link: string;
  readonly gap?: Gap | undefined;
  /** Files that came with it. Open WebUI draws images; of others the text has the address. */
  readonly files: readonly ResultFile[];
}

export const isOk = ({ outcome }: Pick<Result, "outcome">): boolean => outcome === "ok" || outcome === "deferred";

/** What styles work with. */
export interface Stage {
  readonly output: Output;
  readonly side: SideEvents;
  readonly pipe: Pipe | undefined;
  /** The URL of the run's own view, to read it or also to answer; undefined where no page may frame it. */
  readonly embed: EncodeOptions["embed"];
}

export type CreateShow = (stage: Stage) => Show;

/** Text and thinking as items of their own, which all styles but one want. */
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
        // How long it took, versions up to 0.11.0 learn from a snapshot alone; but that ends all thoughts there.
        ...(thoughts.size === 0 ? output.snapshot(SMALL) : []),
      ];
    },
  };
};

const SMALL = 16 * 1024;
