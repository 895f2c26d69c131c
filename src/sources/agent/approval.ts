import type { Json, Problem } from "../../events.ts";
import { ALLOWED } from "../../protocol.ts";
import type { Approval, Tool } from "../../tool.ts";
import { type Answered, askPerson, awaitAnswer, expiry } from "./ask.ts";
import type { DefinedTool } from "./definition.ts";
import type { PastApproval } from "./past.ts";
import type { Running, Worker } from "./running.ts";

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
  if (earlier) {
    const answered = earlier.end ?? (await awaitAnswer(worker, earlier.ask, signal));
    return permissionOf(worker, tool, earlier.ask, answered, earlier.isKept);
  }
  const needed: Approval = await (typeof tool.approval === "function"
    ? tool.approval(checked)
    : (tool.approval ?? "never"));
  if (needed === "never" || isAllowed(worker, tool)) return { allowed: true };
  const ask = worker.run.newId("ask");
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
    ask,
  );
  return permissionOf(worker, tool, ask, answered);
};

/** Whether the user has allowed the tool for the rest of the run, by an answer that was not revoked since. */
const isAllowed = ({ run }: Worker, tool: Tool): boolean =>
  [...(run.allowed.get(tool) ?? [])].some((ask) => !run.context.isRevoked(ask));

/** From now on the tool needs no approval, until every ask that allowed it is revoked. */
export const allowAlways = ({ allowed }: Running, tool: Tool, ask: string): void => {
  const asks = allowed.get(tool);
  if (asks) asks.add(ask);
  else allowed.set(tool, new Set([ask]));
};

/** `isKept`: the log says that the tool is allowed for the rest of the run. It may also say that this was revoked. */
const permissionOf = (
  { run, emit }: Worker,
  tool: Tool,
  ask: string,
  { outcome, answer }: Answered,
  isKept = false,
): Permission => {
  if (outcome === "expired") return refused("denied", "expired", "No one allowed this call in time.");
  if (outcome !== "answered") return refused("cancelled", "cancelled", "The call was cancelled before it was allowed.");
  if (!answer?.allow)
    return refused("denied", "denied", `The user denied this call${answer?.reason ? `: ${answer.reason}` : "."}`);
  if (answer.always && !isKept) {
    allowAlways(run, tool, ask);
    emit({ type: "data", name: ALLOWED, id: ask, value: true });
  }
  return { allowed: true, ...(answer.input !== undefined && { edited: answer.input }) };
};

const refused = (outcome: "denied" | "cancelled", code: string, message: string): Permission => ({
  allowed: false,
  outcome,
  error: { code, message },
});
