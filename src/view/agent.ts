import type { Finish } from "../events.ts";
import { visibleText } from "../markdown.ts";
import { type Incomplete, incompleteOf, incompleteText } from "../protocol.ts";
import type { AgentNode, StepNode } from "../state.ts";
import { usageText } from "./amounts.ts";
import { type Badge, badgeOf, type ShownState, WORKING } from "./badge.ts";
import { describeFailure, type ProblemFacts } from "./problem.ts";
import { STEP_ENDS } from "./step.ts";
import { oneLine } from "./text.ts";
import { agentTime, type Time } from "./time.ts";

/** Display data for a sub-agent. */
export interface AgentFacts {
  readonly badge: Badge;
  readonly isOver: boolean;
  readonly name: string;
  readonly model: string;
  readonly task: string;
  /** The full task, with its line breaks. */
  readonly fullTask: string;
  /** Whether the task is too long for the first line. */
  readonly hasLongTask: boolean;
  readonly status: string;
  readonly time: Time | undefined;
  /** Token usage. Empty until the agent has ended. */
  readonly usage: string;
  readonly problem: ProblemFacts | undefined;
  /** Why the answer is incomplete and what to do about it. Empty if it is complete. */
  readonly advice: string;
}

export const describeAgent = (agent: AgentNode): AgentFacts => {
  const isOver = agent.outcome !== undefined;
  const end = endOf(agent);
  return {
    badge: end ? badgeOf(end.state) : WORKING,
    isOver,
    name: oneLine(agent.name),
    model: oneLine(agent.model ?? ""),
    task: oneLine(agent.task ?? ""),
    fullTask: visibleText(agent.task ?? ""),
    hasLongTask: isLong(agent.task ?? ""),
    status: isOver ? "" : oneLine(agent.status ?? ""),
    time: agentTime(agent),
    usage: isOver ? usageText(agent.usage) : "",
    problem: describeFailure(agent.error, agent.outcome),
    advice: end?.advice ?? "",
  };
};

const isLong = (task: string): boolean => task.length > 60 || task.includes("\n");

/** How an agent, or the run's root agent, ended. */
export interface End {
  readonly state: ShownState;
  readonly title: string;
  /** Empty if the answer is complete. */
  readonly advice: string;
}

/**
 * Returns undefined while the agent is running. An agent with outcome `done` whose last answer was cut off did not
 * finish its task, so no view may show it as a success.
 */
export const endOf = (agent: AgentNode): End | undefined => {
  const { outcome } = agent;
  if (outcome === undefined) return undefined;
  const finish = agent.items.findLast((item): item is StepNode => item.kind === "step")?.finish;
  const cut = outcome === "done" ? cutOf(finish) : undefined;
  return cut ?? { state: outcome, title: TITLES[outcome], advice: "" };
};

const TITLES = { done: "Finished", error: "Failed", cancelled: "Cancelled", interrupted: "Interrupted" } as const;

/** How an answer ended that is incomplete. Undefined for the finish of a complete one. */
export const cutOf = (finish: Finish | undefined): End | undefined => {
  const incomplete = incompleteOf(finish);
  return (
    incomplete && {
      state: STEP_ENDS[incomplete.finish],
      title: CUT_TITLES[incomplete.finish],
      advice: incompleteText(incomplete),
    }
  );
};

const CUT_TITLES: Readonly<Record<Incomplete["finish"], string>> = {
  length: "Cut off at the output limit",
  filter: "Stopped by a content filter",
  interrupted: "Interrupted",
};
