import type { Decoder, Frame } from "../../../dialect.ts";
import type { Event } from "../../../events.ts";
import { type Fields, fieldsOf, listOf, parseFields } from "../../../json.ts";

/**
 * The AI SDK streams a sub-agent as a tool whose preliminary results are the sub-agent's message so far. A page shows
 * that message at the call, so it counts here as the sub-agent's text.
 */
export const withSubAgents = (decode: Decoder): Decoder => {
  const shown = new Map<string, string>();
  const eventsOf = ({ data }: Frame): readonly Event[] => {
    const { type, preliminary, toolCallId, output } = parseFields(data) ?? {};
    const message = fieldsOf(output);
    if (type !== "tool-output-available" || preliminary !== true || message["role"] !== "assistant") return [];
    const agent = `agent-${String(toolCallId)}`;
    const before = shown.get(agent);
    const text = textOf(message);
    shown.set(agent, text);
    const part = `${agent}-text`;
    return [
      ...(before === undefined
        ? [{ type: "agent-start", agent, name: "sub-agent" } as const, { type: "text-start", agent, part } as const]
        : []),
      { type: "text-delta", agent, part, delta: text.slice(before?.length ?? 0) },
    ];
  };
  // From the frames, because the decoder keeps only the end of such a message.
  return Object.assign((frame: Frame) => [...decode(frame), ...eventsOf(frame)], {
    ...(decode.pause && { pause: () => decode.pause?.() ?? [] }),
  });
};

const textOf = (message: Fields): string =>
  listOf(message["parts"])
    .map(fieldsOf)
    .map(({ type, text }) => (type === "text" ? String(text) : ""))
    .join("");
