import { ALLOWED, UPSTREAM } from "../protocol.ts";
import type { RunState } from "../state.ts";
import { oneLine } from "./text.ts";

/** A tool that needs no approval for the rest of the run. */
export interface AllowedTool {
  readonly tool: string;
  /** The asks that allowed it. Revoke all of them. Empty if only another server can. */
  readonly asks: readonly string[];
}

const PREFIX = `${ALLOWED} `;

/** Whether a slot holds a user's permission. Any agent may use the name without the id of an ask. */
export const isAllowedSlot = (key: string): boolean => key.startsWith(PREFIX);

/** What the user has allowed for the rest of a run and not revoked since, per tool. Nothing once the run is over. */
export const allowedTools = ({ data, nodes, outcome }: RunState): readonly AllowedTool[] => {
  if (outcome !== undefined) return [];
  const tools = new Map<string, string[]>();
  for (const [key, value] of data) {
    if (!isAllowedSlot(key)) continue;
    const id = key.slice(PREFIX.length);
    const ask = nodes.get(id);
    const call = ask?.kind === "ask" && ask.ask.call !== undefined ? nodes.get(ask.ask.call) : undefined;
    if (call?.kind !== "call" || (value !== true && value !== UPSTREAM)) continue;
    const tool = oneLine(call.name);
    const asks = tools.get(tool) ?? [];
    tools.set(tool, value === true ? [...asks, id] : asks);
  }
  return [...tools].map(([tool, asks]) => ({ tool, asks }));
};
