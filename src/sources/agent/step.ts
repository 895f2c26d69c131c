import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import type { Finish } from "../../events.ts";
import { Refusal } from "../../source.ts";
import { type Answer, answer } from "./answer.ts";
import { modelProblem, refusalOf } from "./problem.ts";
import { ATTEMPTS, waitBefore } from "./retry.ts";
import type { Worker } from "./running.ts";
import { pause, until } from "./until.ts";

export type ModelTools = NonNullable<LanguageModelV4CallOptions["tools"]>;

/** One request to the model, tried again where that is possible. Throws if there is no answer; by then the step has ended. */
export const step = async (worker: Worker, tools: ModelTools): Promise<Answer> => {
  const { run, emit, signal } = worker;
  const step = run.fresh("step");
  const end = (finish: Finish, rest = {}) => emit({ type: "step-end", step, finish, ...rest });

  emit({ type: "step-start", step });
  for (let attempt = 1; ; attempt += 1) {
    const answering = answer(worker);
    try {
      await read(worker, tools, answering);
      answering.close();
      const { finish, usage, meta } = answering.finished ?? {};
      end(finish ?? "other", { ...(usage && { usage }), ...(meta !== undefined && { meta }) });
      return answering;
    } catch (error) {
      if (signal.aborted) {
        answering.cut("cancelled");
        end("cancelled");
        throw signal.reason;
      }
      const problem = modelProblem(error);
      const again = problem.retryable && !answering.shown && attempt < ATTEMPTS;
      const wait = again ? waitBefore(attempt, error, Date.now()) : undefined;
      answering.cut("interrupted");
      if (wait === undefined) {
        end("error");
        throw refusalOf(problem, error);
      }
      emit({ type: "step-retry", step, attempt: attempt + 1, wait, error: problem });
      await pause(wait, signal);
    }
  }
};

const read = async ({ run, model, prompt, signal }: Worker, tools: ModelTools, answering: Answer): Promise<void> => {
  signal.throwIfAborted();
  const offered = tools.length > 0 ? { tools, toolChoice: { type: "auto" } as const } : {};
  const { stream } = await until(model.doStream({ prompt: [...prompt], abortSignal: signal, ...offered }), signal);
  const reader = stream.getReader();
  const leave = () => void reader.cancel(signal.reason).catch(() => {});
  signal.addEventListener("abort", leave, { once: true });
  try {
    for (;;) {
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      if (done) break;
      const kept = answering.take(value);
      if (kept) await kept;
      const room = run.queue.room();
      if (room) await until(room, signal);
    }
  } finally {
    signal.removeEventListener("abort", leave);
    leave();
  }
  if (!answering.finished) {
    throw new Refusal("model-cut-off", "The model's stream ended before its answer did.", { retryable: true });
  }
  if (answering.finished.finish === "error")
    throw new Refusal("model-error", "The model ended its answer with an error.");
};
