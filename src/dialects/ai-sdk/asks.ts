import type { EncodeOptions } from "../../dialect.ts";
import type { EventOf } from "../../events.ts";
import type { Agents } from "./agents.ts";
import type { Calls } from "./calls.ts";
import { type Chunk, dataPart } from "./chunk.ts";
import type { SdkVersion } from "./style.ts";

/** What the run asks: approvals in the SDK's own words where it has them, everything else as a part that says where to answer. */
export interface Asks {
  start(event: EventOf<"ask-start">): Chunk[];
  end(event: EventOf<"ask-end">): Chunk[];
}

export const createAsks = (
  sdk: SdkVersion,
  calls: Calls,
  agents: Agents,
  { page }: Pick<EncodeOptions, "page">,
): Asks => {
  /** What is asked in a part of ours, which has to say how it ended. */
  const open = new Map<string, Readonly<Record<string, unknown>>>();

  const dataOf = (event: EventOf<"ask-start">) => {
    const { ask, kind, call, title, message, schema, value, options, allows, expires } = event;
    return { ask, kind, call, title, message, schema, value, options, allows, expires, url: page?.("answer") };
  };

  return {
    start(event) {
      const { ask, kind, call, agent, title, message, options } = event;
      const shown =
        call === undefined || agent === undefined || kind !== "approval" ? [] : calls.show(call, agents.nameOf(agent));
      if (kind === "approval" && call !== undefined && sdk > 5) {
        const reason = message ?? title;
        return [
          ...shown,
          // The SDK's approvals know yes and no; what else the agent offers, a client reads here.
          ...(options?.length ? [dataPart("ask", dataOf(event), ask)] : []),
          {
            type: "tool-approval-request",
            approvalId: ask,
            toolCallId: call,
            ...(sdk > 6 && reason !== undefined && { reason }),
          },
        ];
      }
      const data = dataOf(event);
      open.set(ask, data);
      return [...shown, dataPart("ask", data, ask)];
    },
    end({ ask, outcome, answer }) {
      const data = open.get(ask);
      open.delete(ask);
      if (data) return [dataPart("ask", { ...data, outcome, answer }, ask)];
      if (sdk < 7 || outcome !== "answered") return [];
      const { allow = false, reason } = answer ?? {};
      return [
        {
          type: "tool-approval-response",
          approvalId: ask,
          approved: allow,
          ...(reason !== undefined && { reason }),
        },
      ];
    },
  };
};
