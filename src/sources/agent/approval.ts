import type { Json, Problem } from "../../events.ts";
import type { Approval } from "../../tool.ts";
import { askPerson, expiry } from "./ask.ts";
import type { DefinedTool } from "./definition.ts";
import type { Worker } from "./running.ts";

export type Permission =
  | { readonly allowed: true; readonly edited?: Json }
  | { readonly allowed: false; readonly outcome: "denied" | "cancelled"; readonly error: Problem };

/** Whether the call may run: at once, or after a person has allowed it. `checked` is what the tool would get, `input` what the model wrote. */
export const approval = async (
  worker: Worker,
  { tool }: DefinedTool,
  { call, input, checked, signal }: { call: string; input: Json; checked: unknown; signal: AbortSignal },
): Promise<Permission> => {
  const needed: Approval = await (typeof tool.approval === "function"
    ? tool.approval(checked)
    : (tool.approval ?? "never"));
  if (needed === "never" || worker.run.allowed.has(tool)) return { allowed: true };
  const { outcome, answer } = await askPerson(
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
  if (outcome === "expired") return refused("denied", "expired", "Nobody allowed this call in time.");
  if (outcome !== "answered") return refused("cancelled", "cancelled", "The call was cancelled before it was allowed.");
  if (!answer?.allow)
    return refused("denied", "denied", `A person denied this call${answer?.reason ? `: ${answer.reason}` : "."}`);
  if (answer.always) worker.run.allowed.add(tool);
  return { allowed: true, ...(answer.input !== undefined && { edited: answer.input }) };
};

const refused = (outcome: "denied" | "cancelled", code: string, message: string): Permission => ({
  allowed: false,
  outcome,
  error: { code, message },
});
