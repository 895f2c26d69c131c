import { z } from "zod";
import type { Problem, RunOutcome, Usage } from "../../events.ts";
import { Refusal } from "../../source.ts";
import { type SubagentResult, type Tool, defineTool, toolResult } from "../../tool.ts";
import type { Definition } from "./definition.ts";
import { loop } from "./loop.ts";
import { modelOf } from "./model-of.ts";
import { modelProblem } from "./problem.ts";
import { type PastAgent, textOf } from "./past.ts";
import { type Running, type Subagents, type Worker, emitter } from "./running.ts";

const start: Subagents["start"] = async (worker, { agent: wanted, task }, call, signal) => {
  const { run, definition, agent: parent } = worker;
  const child = wanted === undefined ? [...definition.agents.values()][0] : definition.agents.get(wanted);
  if (!child) throw unknownAgent(definition, wanted);
  const model = await childModel(worker, child);
  const agent = run.fresh(child.name);
  emitter(
    run.queue,
    agent,
  )({
    type: "agent-start",
    agent,
    ...(parent !== undefined && { parent }),
    call,
    name: child.name,
    task,
    model: model.modelId,
  });
  await run.queue.taken();
  return await work(run, child, agent, model, task, signal);
};

const resume: Subagents["resume"] = async (worker, past, signal) => {
  const { run, definition } = worker;
  const { agent, name, task = "" } = past.start!;
  if (past.end) {
    const { outcome, message } = past.end;
    return { agent, outcome, text: outcome === "done" ? textOf(past.steps.at(-1)?.content ?? []) : message };
  }
  const child = [...definition.agents.values()].find((known) => known.name === name);
  if (!child) {
    emitter(run.queue, agent)({ type: "agent-end", agent, outcome: "interrupted" });
    return { agent, outcome: "interrupted", text: "" };
  }
  return await work(run, child, agent, await childModel(worker, child), task, signal, past);
};

export const subagents: Subagents = { start, resume };

const childModel = async ({ run, model }: Worker, child: Definition) =>
  child.model === undefined ? model : await modelOf(child, run.request);

const work = async (
  run: Running,
  definition: Definition,
  agent: string,
  model: Worker["model"],
  task: string,
  signal: AbortSignal,
  past?: PastAgent,
): Promise<SubagentResult> => {
  const emit = emitter(run.queue, agent);
  const stop = AbortSignal.any([run.context.signalOf("agent", agent), signal]);
  let usage: Usage = past?.usage ?? {};
  const end = (outcome: RunOutcome, text: string, error?: Problem): SubagentResult => {
    emit({
      type: "agent-end",
      agent,
      outcome,
      ...(error && { error }),
      ...(Object.keys(usage).length > 0 && { usage }),
    });
    return { agent, outcome, text };
  };
  const messages = [{ role: "user" as const, content: [{ type: "text" as const, text: task }] }];
  try {
    const worker = { run, definition, agent, model, signal: stop, emit };
    const { text } = await loop(worker, messages, [], (used) => (usage = used), past);
    return end("done", text);
  } catch (error) {
    if (stop.aborted) return end("cancelled", "");
    const problem = modelProblem(error, run.redact);
    return end("error", problem.message, problem);
  }
};

/** The tool with which a model starts sub-agents. */
export const taskTool = (agents: Definition["agents"]): Tool =>
  defineTool<{ agent: string; task: string }>({
    name: "task",
    description: [
      "Gives a task to a sub-agent and returns its result. The sub-agent sees only the task. Agents:",
      ...[...agents].map(([name, { description }]) => `- ${name}: ${description}`),
    ].join("\n"),
    input: z.object({
      agent: z.enum([...agents.keys()] as [string, ...string[]]),
      task: z.string().min(1).describe("What to do, with everything the sub-agent needs to know"),
    }),
    timeoutMs: Infinity,
    // It has no side effects: the sub-agent that it waits for continues where it was.
    repeatable: true,
    async run(input, context) {
      const { outcome, text } = await context.agent(input);
      if (outcome === "done") return text;
      if (outcome === "error") return toolResult(text, { isError: true });
      throw new Refusal("cancelled", `The sub-agent ${input.agent} was ${outcome}.`);
    },
  }) as Tool;

const unknownAgent = ({ name, agents }: Definition, wanted: string | undefined): Refusal =>
  new Refusal(
    "unknown-agent",
    `The agent ${name} cannot start ${wanted ?? "a sub-agent"}. Its sub-agents: ${[...agents.keys()].join(", ") || "none"}.`,
  );
