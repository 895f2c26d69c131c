import type { LanguageModelV4CallOptions, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { Finish } from "../../events.ts";
import { priced } from "../../prices.ts";
import { Refusal } from "../../source.ts";
import { type ModelAnswer, answer } from "./answer.ts";
import { ownNames, settingsOf } from "./model-of.ts";
import { filtered, modelProblem, refusalOf, stalled, truncated, webPage } from "./problem.ts";
import { queued } from "./queued.ts";
import { askedWait, waitBefore } from "./retry.ts";
import type { Worker } from "./running.ts";
import { separateThinking } from "./think-tags.ts";
import { pause, until } from "./until.ts";
import { watchdog } from "./watchdog.ts";

export type ModelTools = NonNullable<LanguageModelV4CallOptions["tools"]>;

/** One request to the model, with retries. Throws if there is no response. The step has ended by then. */
export const step = async (worker: Worker, tools: ModelTools): Promise<ModelAnswer> => {
  const { run, emit, signal, definition, model } = worker;
  const step = run.fresh("step");
  const end = (finish: Finish, { finished }: ModelAnswer) => {
    const { usage: counted, meta } = finished ?? {};
    const usage = counted && priced(counted, run.context.prices, ...ownNames(model));
    worker.used(usage);
    emit({ type: "step-end", step, finish, ...(usage && { usage }), ...(meta !== undefined && { meta }) });
  };

  emit({ type: "step-start", step });
  for (let attempt = 1; ; attempt += 1) {
    const answering = answer(worker);
    try {
      await read(worker, tools, answering);
      answering.close();
      end(finishOf(answering), answering);
      return answering;
    } catch (error) {
      if (signal.aborted) {
        answering.cut("cancelled");
        end("cancelled", answering);
        throw signal.reason;
      }
      const problem = modelProblem(error, run.redact, keyVariableOf(model));
      const again = problem.retryable && !answering.shown && attempt < definition.maxAttempts;
      const wait = again ? waitBefore(attempt, error, Date.now()) : undefined;
      answering.cut("interrupted");
      if (wait === undefined) {
        end(problem.code === "model-filtered" ? "filter" : "error", answering);
        const asked = problem.retryable ? askedWait(error, Date.now()) : undefined;
        throw refusalOf(asked === undefined ? problem : { ...problem, hint: inSeconds(asked) });
      }
      emit({ type: "step-retry", step, attempt: attempt + 1, wait, error: problem });
      await pause(wait, signal);
    }
  }
};

const read = async (worker: Worker, tools: ModelTools, answering: ModelAnswer): Promise<void> => {
  const { run, model, prompt, definition } = worker;
  worker.signal.throwIfAborted();
  const stall = new AbortController();
  const signal = AbortSignal.any([worker.signal, stall.signal]);
  const watch = watchdog(definition.stallMs, () => stall.abort(stalled(definition.stallMs)));
  const separate = definition.thinkTags ? separateThinking() : undefined;
  const offered = tools.length > 0 ? { tools, toolChoice: { type: "auto" } as const } : {};
  const asking = { ...settingsOf(definition, run.request), prompt: [...prompt], abortSignal: signal, ...offered };

  const waiting = queued(worker.emit);

  /** The end of a part that may not be real: libraries close open parts before they report a broken stream. */
  let ending: LanguageModelV4StreamPart | undefined;

  const take = async (): Promise<void> => {
    const { stream, response } = await until(model.doStream(asking), signal);
    const reader = stream.getReader();
    const leave = () => void reader.cancel(signal.reason).catch(() => {});
    signal.addEventListener("abort", leave, { once: true });
    try {
      if (/^text\/html\b/i.test(response?.headers?.["content-type"] ?? "")) throw webPage();
      for (;;) {
        const { done, value } = await reader.read();
        signal.throwIfAborted();
        if (done) break;
        watch.feed();
        waiting.take(value);
        if (value.type === "raw") continue;
        for (const part of separate ? separate(value) : [value]) {
          if (ending && !isBroken(part)) await answering.take(ending);
          ending = part.type === "text-end" || part.type === "reasoning-end" ? part : undefined;
          const kept = ending ? undefined : answering.take(part);
          if (kept) await kept;
        }
        const room = run.queue.room();
        if (!room) continue;
        // Backpressure from the queue does not count as a stall of the model.
        watch.rest();
        await until(room, signal);
        watch.feed();
      }
    } finally {
      signal.removeEventListener("abort", leave);
      leave();
    }
  };

  try {
    await take();
  } catch (error) {
    // Libraries throw their own errors on an abort.
    throw stall.signal.aborted && !worker.signal.aborted ? stall.signal.reason : error;
  } finally {
    watch.stop();
    waiting.end();
  }
  const { finished } = answering;
  if (!finished) throw truncated();
  if (finished.finish === "error") throw new Refusal("model-error", "The model ended its answer with an error.");
  if (finished.finish === "filter" && !answering.shown) throw filtered();
};

const isBroken = (part: LanguageModelV4StreamPart): boolean =>
  part.type === "error" || (part.type === "finish" && part.finishReason.unified === "interrupted");

/** Servers report different finish reasons when the model calls tools. */
const finishOf = ({ finished, calls }: ModelAnswer): Finish => {
  const { finish = "other" } = finished ?? {};
  return calls.length > 0 && (finish === "stop" || finish === "other") ? "tools" : finish;
};

/** Models created by a provider carry the name of their key variable. */
const keyVariableOf = (model: object): string | undefined =>
  "keyVariable" in model && typeof model.keyVariable === "string" ? model.keyVariable : undefined;

const inSeconds = (ms: number): string => `The provider asks to retry in ${Math.ceil(ms / 1000)} s.`;
