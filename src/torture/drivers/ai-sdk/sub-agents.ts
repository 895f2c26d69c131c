import type { Decoder } from "../../../dialect.ts";
import type { Event } from "../../../events.ts";
import { type Fields, fieldsOf, listOf } from "../../../json.ts";

/**
 * The AI SDK streams a sub-agent as a tool whose preliminary results are the sub-agent's message so far. A page shows
 * that message at the call, so it counts here as the sub-agent's text.
 */
export const withSubAgents = (decode: Decoder): Decoder => {
  const shown = new Map<string, string>();
  const eventsOf = (event: Event): readonly Event[] => {
    if (event.type !== "tool-progress") return [event];
    const message = fieldsOf(event.value);
    if (message["role"] !== "assistant") return [event];
    const agent = `agent-${event.call}`;
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
  return Object.assign((frame: Parameters<Decoder>[0]) => decode(frame).flatMap(eventsOf), {
    ...(decode.pause && { pause: () => decode.pause?.() ?? [] }),
  });
};

const textOf = (message: Fields): string =>
  listOf(message["parts"])
    .map(fieldsOf)
    .map(({ type, text }) => (type === "text" ? String(text) : ""))
    .join("");
