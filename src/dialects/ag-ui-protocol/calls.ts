import type { EncodeOptions, Frame } from "../../dialect.ts";
import type { CallOutcome, EventOf } from "../../events.ts";
import { resultText } from "../frames/result-text.ts";
import { encryptedOf } from "./encrypted.ts";
import { deltaFrame, deltaOpening, frame, type MessageId, tagOf } from "./frames.ts";
import type { TextMessages } from "./text-messages.ts";

/** Calls with their arguments and results. Clients run every call without a result, so all others must get one. */
export interface Calls {
  start(event: EventOf<"tool-start">): readonly Frame[];
  input(event: EventOf<"tool-input-delta" | "tool-input-end">): readonly Frame[];
  end(event: EventOf<"tool-end">): readonly Frame[];
  /** Ends the arguments of calls that have not ended them: a stream must not end before that. */
  endInputs(): readonly Frame[];
  name(call: string): string | undefined;
}

export const createCalls = (
  messageId: () => MessageId,
  textMessages: TextMessages,
  link: EncodeOptions["link"],
): Calls => {
  /** The prefix of further argument frames, for each call whose arguments are still open. */
  const openings = new Map<string, string>();
  const names = new Map<string, string>();

  const endInput = (call: string): readonly Frame[] =>
    openings.delete(call) ? [frame("TOOL_CALL_END", { toolCallId: call })] : [];

  /** A call belongs to a message. If the model wrote no text before it, the message is empty. */
  const parentOf = (call: string, agent: string | undefined): { id: string; frames: readonly Frame[] } => {
    const known = textMessages.parent(agent);
    if (known !== undefined) return { id: known, frames: [] };
    const id = messageId()("calls", call);
    textMessages.setParent(agent, id);
    return {
      id,
      frames: [
        frame("TEXT_MESSAGE_START", { messageId: id, role: "assistant", ...tagOf(agent) }),
        frame("TEXT_MESSAGE_END", { messageId: id }),
      ],
    };
  };

  return {
    start({ call, name, agent, meta }) {
      const { id, frames } = parentOf(call, agent);
      names.set(call, name);
      openings.set(call, deltaOpening("TOOL_CALL_ARGS", { toolCallId: call }));
      return [
        ...frames,
        frame("TOOL_CALL_START", { toolCallId: call, toolCallName: name, parentMessageId: id, ...tagOf(agent) }),
        ...(meta === undefined
          ? []
          : [
              frame("REASONING_ENCRYPTED_VALUE", {
                subtype: "tool-call",
                entityId: call,
                encryptedValue: encryptedOf(meta),
              }),
            ]),
      ];
    },
    input(event) {
      const opening = openings.get(event.call);
      if (opening === undefined) return [];
      if (event.type === "tool-input-delta") return event.delta === "" ? [] : [deltaFrame(opening, event.delta)];
      return [
        ...(event.input === undefined ? [] : [deltaFrame(opening, JSON.stringify(event.input))]),
        ...endInput(event.call),
      ];
    },
    end(event) {
      const { call, outcome, agent } = event;
      names.delete(call);
      if (outcome === "deferred") return endInput(call);
      return [
        ...endInput(call),
        frame("TOOL_CALL_RESULT", {
          messageId: messageId()("result", call),
          toolCallId: call,
          content: contentOf(event, outcome, link),
          role: "tool",
          ...tagOf(agent),
          // Stored with the message, so a client can show it, and sent back with it.
          metadata: { runcast: { outcome } },
        }),
      ];
    },
    endInputs: () => [...openings.keys()].flatMap(endInput),
    name: (call) => names.get(call),
  };
};

const contentOf = (
  event: EventOf<"tool-end">,
  outcome: Exclude<CallOutcome, "deferred">,
  link: EncodeOptions["link"],
): string => {
  const text = resultText(event, link);
  return text !== "" || outcome === "ok" ? text : (event.error?.message ?? OUTCOME_TEXT[outcome]);
};

/** Used in place of a missing result, for the user and for the model of the next request. */
const OUTCOME_TEXT: Readonly<Record<Exclude<CallOutcome, "ok" | "deferred">, string>> = {
  error: "The call failed.",
  denied: "The call was not allowed.",
  cancelled: "The call was cancelled.",
  timeout: "The call timed out.",
  interrupted: "The call was interrupted.",
};
