import type { Frame } from "../../dialect.ts";
import type { EventOf, Usage } from "../../events.ts";
import type { Incomplete } from "../frames/incomplete.ts";
import { problemText } from "../frames/problem-text.ts";
import { frame } from "./frames.ts";

/** The frames that end a run. `run` holds the client's ids. */
export const finishFrames = (
  event: EventOf<"run-end">,
  incomplete: Incomplete | undefined,
  run: { readonly threadId: string; readonly runId: string },
  version: 0 | 1,
): readonly Frame[] => {
  const { outcome, error, usage, awaiting = [] } = event;
  const spent = usage ? { usage: [usageOf(usage)] } : {};
  if (outcome === "error" || outcome === "interrupted") {
    const { code = outcome, message = "The run was interrupted.", hint } = error ?? {};
    return [frame("RUN_ERROR", { message: problemText({ message, hint }), code, ...spent })];
  }
  const finish = (fields: object): readonly Frame[] => [frame("RUN_FINISHED", { ...run, ...fields, ...spent })];
  if (outcome === "cancelled")
    return version === 1
      ? finish({ outcome: { type: "cancelled" } })
      : // Clients before 1.0 do not know this outcome.
        finish({ result: { outcome } });
  const pending = version === 1 && awaiting.length > 0 ? { pendingToolCallIds: awaiting } : {};
  return finish({
    ...(incomplete && { result: { finish: incomplete.finish, message: incomplete.message, hint: incomplete.hint } }),
    outcome: { type: "success", ...pending },
  });
};

const usageOf = ({ input, output, reasoning, cached }: Usage): object => ({
  ...(input !== undefined && { inputTokens: input }),
  ...(output !== undefined && { outputTokens: output }),
  ...(reasoning !== undefined && { reasoningTokens: reasoning }),
  ...(cached !== undefined && { cachedInputTokens: cached }),
});
