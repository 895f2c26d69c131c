import { createEventQueue } from "../event-queue.ts";
import type { Event, Problem } from "../events.ts";
import { PROTOCOL } from "../protocol.ts";
import type { Past, RunContext, RunRequest, Source } from "../source.ts";
import { aboutOf } from "./agent/about.ts";
import { readableBy } from "./agent/attachments.ts";
import { checkOptions } from "./agent/check-options.ts";
import { type AgentOptions, type Definition, define } from "./agent/definition.ts";
import { withBytes } from "./agent/history.ts";
import { loop } from "./agent/loop.ts";
import { acceptedBy, acceptedByName, missingKeys, modelsReady, rootModel } from "./agent/model-of.ts";
import { withShortResults } from "./agent/model-result.ts";
import { chooseMode } from "./agent/modes.ts";
import { type PastAgent, readPast } from "./agent/past.ts";
import { withoutSecrets } from "./agent/problem.ts";
import { type Running, emitter, running } from "./agent/running.ts";
import { subagents, taskTool } from "./agent/subagent.ts";

export type { AiSdkTool } from "./agent/adopt.ts";
export { adopt } from "./agent/adopt.ts";
export type {
  AgentOptions,
  Model,
  ModelProvider,
  ModelSettings,
  ProviderTool,
  SubagentOptions,
} from "./agent/definition.ts";
export type { ModeOptions } from "./agent/modes.ts";

/**
 * The built-in agent: a loop over any model that implements the AI SDK's interface.
 *
 * - A step ends before its calls run. Calls run in parallel and end independently.
 * - Errors of a call go back to the model. Errors of a model end its agent. The root's error is thrown after everything
 *   inside it has ended.
 * - All ids it assigns are unique in the run, even if a model repeats its own.
 * - It can resume: a call that has ended never runs again, and one that was cut runs again only if its tool is
 *   `repeatable`.
 */
export const agent = (options: AgentOptions): Source => {
  checkOptions(options);
  const definition = define(options, taskTool);
  const keys = options.provider?.keys ?? [];
  const begin = (request: RunRequest, context: RunContext, past?: Past): AsyncIterable<Event> => {
    const named = { ...definition, name: definition.name || context.agent };
    const stop = new AbortController();
    const run = async (): Promise<void> => {
      const before = past && (await readPast(past.entries(), request.messages));
      await work(named, running(request, context, events, stop, subagents, keys, before), before?.root);
    };
    const events = createEventQueue(
      () =>
        void run().then(
          () => events.close(),
          (error: unknown) => events.close({ error }),
        ),
      () => stop.abort({ code: "abandoned", message: "No one is reading this run anymore." }),
    );
    return events;
  };
  const source: Source = (request, context) => begin(request, context);
  return Object.assign(source, {
    about: aboutOf(options, definition),
    resume: begin,
    ready: () => modelsReady(definition),
    missingKeys: () => missingKeys(definition),
    accepts: () => acceptedByName(definition),
  });
};

const work = async (defined: Definition, run: Running, past: PastAgent | undefined): Promise<void> => {
  const { request, context, signal } = run;
  const { definition, messages: asked, mode, notice } = chooseMode(defined, request);
  const model = await rootModel(definition, request).catch((error: unknown) => {
    throw withoutSecrets(error, run.redact);
  });
  const readable = readableBy(await withBytes(asked, context), model.modelId, acceptedBy(definition, model));
  const messages = withShortResults(readable, definition.maxResultLength);
  const emit = emitter(run.queue, undefined);
  if (!past) {
    emit(start(definition, model.modelId, context, request));
    if (mode !== undefined) emit({ type: "data", name: "mode", value: mode });
    if (notice !== undefined) emit({ type: "notice", level: "info", text: notice });
  }
  try {
    const root = { run, definition, agent: undefined, model, signal, emit };
    const { awaiting } = await loop(root, messages, request.tools ?? [], undefined, past);
    if (awaiting.length > 0) emit({ type: "run-end", outcome: "done", awaiting: [...awaiting] });
  } catch (error) {
    if (!signal.aborted) throw withoutSecrets(error, run.redact);
    // The runner reports a cancel from outside, but does not know about a cancel by a tool.
    if (!context.signal.aborted) emit({ type: "run-end", outcome: "cancelled", error: signal.reason as Problem });
  }
};

const start = ({ name }: Definition, model: string, { run }: RunContext, { thread }: RunRequest): Event => ({
  type: "run-start",
  protocol: PROTOCOL,
  run,
  ...(thread !== undefined && { thread }),
  name,
  model,
});
