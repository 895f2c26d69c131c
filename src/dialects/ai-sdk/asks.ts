import type { EncodeOptions } from "../../dialect.ts";
import type { EventOf } from "../../events.ts";
import type { Agents } from "./agents.ts";
import type { Calls } from "./calls.ts";
import { type Chunk, dataPart } from "./chunk.ts";
import type { SdkVersion } from "./style.ts";

/** Asks: approvals in the SDK's own format where it has one, all others as a data part with a link to the answer page. */
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
  /** Asks shown in a data part of ours, which must be updated when they end. */
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
          // The SDK's approvals support only yes and no. Clients read the other options here.
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
