import type { Frame } from "../../dialect.ts";
import type { EventOf, Json } from "../../events.ts";
import { encryptedOf } from "./encrypted.ts";
import { deltaFrame, deltaOpening, frame, type MessageId, tagOf } from "./frames.ts";

type TextEvent = EventOf<
  "text-start" | "text-delta" | "text-end" | "thinking-start" | "thinking-delta" | "thinking-end"
>;

/** Text as assistant messages, thinking as reasoning: a span with one message. */
export interface TextMessages {
  take(event: TextEvent): readonly Frame[];
  /** The message that this agent's calls belong to, until its next step. */
  parent(agent: string | undefined): string | undefined;
  setParent(agent: string | undefined, message: string | undefined): void;
}

export const createTextMessages = (messageId: () => MessageId): TextMessages => {
  /** The prefix of further delta frames, for each open part. */
  const openings = new Map<string, string>();
  const metas = new Map<string, Json>();
  const parents = new Map<string | undefined, string>();

  const setParent: TextMessages["setParent"] = (agent, message) =>
    void (message === undefined ? parents.delete(agent) : parents.set(agent, message));

  const delta = (part: string, text: string): readonly Frame[] => {
    const opening = openings.get(part);
    return opening === undefined || text === "" ? [] : [deltaFrame(opening, text)];
  };

  const endThinking = (event: EventOf<"thinking-end">): readonly Frame[] => {
    const fields = { messageId: messageId()("part", event.part) };
    const meta = metas.get(event.part);
    metas.delete(event.part);
    return [
      frame("REASONING_MESSAGE_END", fields),
      ...(meta === undefined
        ? []
        : [
            frame("REASONING_ENCRYPTED_VALUE", {
              subtype: "message",
              entityId: fields.messageId,
              encryptedValue: encryptedOf(meta),
            }),
          ]),
      frame("REASONING_END", fields),
    ];
  };

  return {
    take(event) {
      const { part, agent } = event;
      if (event.type === "text-delta") return delta(part, event.delta);
      const kind = event.type === "text-start" || event.type === "text-end" ? "TEXT" : "REASONING";
      if (kind === "REASONING" && event.meta !== undefined) metas.set(part, event.meta);
      switch (event.type) {
        case "text-start":
        case "thinking-start": {
          const fields = { messageId: messageId()("part", part) };
          openings.set(part, deltaOpening(`${kind}_MESSAGE_CONTENT`, fields));
          if (kind === "REASONING")
            return [
              frame("REASONING_START", { ...fields, ...tagOf(agent) }),
              frame("REASONING_MESSAGE_START", { ...fields, role: "reasoning", ...tagOf(agent) }),
            ];
          setParent(agent, fields.messageId);
          return [frame("TEXT_MESSAGE_START", { ...fields, role: "assistant", ...tagOf(agent) })];
        }
        case "thinking-delta":
          return delta(part, event.delta);
        case "text-end":
        case "thinking-end":
          if (!openings.delete(part)) return [];
          return event.type === "thinking-end"
            ? endThinking(event)
            : [frame("TEXT_MESSAGE_END", { messageId: messageId()("part", part) })];
      }
    },
    parent: (agent) => parents.get(agent),
    setParent,
  };
};
