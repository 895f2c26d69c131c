import { z } from "zod";
import type { Problem, RunOutcome, Usage } from "../../events.ts";
import { Refusal } from "../../source.ts";
import { type SubagentResult, type Tool, defineTool, toolResult } from "../../tool.ts";
import type { Definition } from "./definition.ts";
import { loop } from "./loop.ts";
import { modelOf } from "./model-of.ts";
import { modelProblem } from "./problem.ts";
import { type StartAgent, emitter } from "./running.ts";

export const subagent: StartAgent = async (
  { run, definition, agent: parent, model: inherited },
  { agent: wanted, task },
  call,
  signal,
) => {
  const child = wanted === undefined ? [...definition.agents.values()][0] : definition.agents.get(wanted);
  if (!child) throw unknownAgent(definition, wanted);
  const model = child.model === undefined ? inherited : await modelOf(child, run.request);
  const agent = run.fresh(child.name);
  const emit = emitter(run.queue, agent);

  emit({
    type: "agent-start",
    agent,
    ...(parent !== undefined && { parent }),
    call,
    name: child.name,
    task,
    model: model.modelId,
  });
  await run.queue.taken();
  const stop = AbortSignal.any([run.context.signalOf("agent", agent), signal]);
  let usage: Usage = {};
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
    const worker = { run, definition: child, agent, model, signal: stop, emit };
    const { text } = await loop(worker, messages, [], (used) => (usage = used));
    return end("done", text);
  } catch (error) {
    if (stop.aborted) return end("cancelled", "");
    const problem = modelProblem(error, run.redact);
    return end("error", problem.message, problem);
  }
};

/** The tool by which a model starts sub-agents. */
export const taskTool = (agents: Definition["agents"]): Tool =>
  defineTool<{ agent: string; task: string }>({
    name: "task",
    description: [
      "Gives a task to a sub-agent and answers with its result. The sub-agent sees nothing but the task. Agents:",
      ...[...agents].map(([name, { description }]) => `- ${name}: ${description}`),
    ].join("\n"),
    input: z.object({
      agent: z.enum([...agents.keys()] as [string, ...string[]]),
      task: z.string().min(1).describe("What to do, with everything the sub-agent must know"),
    }),
    timeoutMs: Infinity,
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
    `The agent ${name} cannot start ${wanted ?? "a sub-agent"}. It has: ${[...agents.keys()].join(", ") || "none"}.`,
  );
