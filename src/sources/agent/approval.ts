import type { Json, Problem } from "../../events.ts";
import type { Approval, Tool } from "../../tool.ts";
import { type Answered, askPerson, awaitAnswer, expiry } from "./ask.ts";
import type { DefinedTool } from "./definition.ts";
import type { PastApproval } from "./past.ts";
import type { Worker } from "./running.ts";

export type Permission =
  | { readonly allowed: true; readonly edited?: Json }
  | { readonly allowed: false; readonly outcome: "denied" | "cancelled"; readonly error: Problem };

export interface Approving {
  readonly call: string;
  /** The model's arguments, and the validated value that the tool would receive. */
  readonly input: Json;
  readonly checked: unknown;
  readonly signal: AbortSignal;
  /** The earlier approval of a call that was cut while it waited. */
  readonly earlier?: PastApproval | undefined;
}

/** Whether the call may run: immediately, or after the user has allowed it. */
export const approval = async (worker: Worker, { tool }: DefinedTool, approving: Approving): Promise<Permission> => {
  const { call, input, checked, signal, earlier } = approving;
  if (earlier?.end) return permissionOf(worker, tool, earlier.end);
  if (earlier) return permissionOf(worker, tool, await awaitAnswer(worker, earlier.ask, signal));
  const needed: Approval = await (typeof tool.approval === "function"
    ? tool.approval(checked)
    : (tool.approval ?? "never"));
  if (needed === "never" || worker.run.allowed.has(tool)) return { allowed: true };
  const answered = await askPerson(
    worker,
    {
      kind: "approval",
      call,
      title: `Allow ${tool.name}?`,
      value: input,
      allows: ["edit", "always", "reason"],
      ...expiry(worker.definition.approvalExpiresMs),
    },
    signal,
  );
  return permissionOf(worker, tool, answered);
};

const permissionOf = ({ run }: Worker, tool: Tool, { outcome, answer }: Answered): Permission => {
  if (outcome === "expired") return refused("denied", "expired", "No one allowed this call in time.");
  if (outcome !== "answered") return refused("cancelled", "cancelled", "The call was cancelled before it was allowed.");
  if (!answer?.allow)
    return refused("denied", "denied", `The user denied this call${answer?.reason ? `: ${answer.reason}` : "."}`);
  if (answer.always) run.allowed.add(tool);
  return { allowed: true, ...(answer.input !== undefined && { edited: answer.input }) };
};

const refused = (outcome: "denied" | "cancelled", code: string, message: string): Permission => ({
  allowed: false,
  outcome,
  error: { code, message },
});
