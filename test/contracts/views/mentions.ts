import type { RunState } from "../../../src/state.ts";
import { describeAgent, describeAside, describeAsk, describeCall, describeRun, slotsOf } from "../../../src/view.ts";

/** Texts that every view must contain verbatim. */
export const mentionsOf = (state: RunState): readonly string[] => {
  const run = describeRun(state);
  return [
    ...[...state.nodes.values()].flatMap((node): (string | undefined)[] => {
      if (node.kind === "call") return [describeCall(node).problem?.message];
      if (node.kind === "agent") {
        const { task, usage, problem, advice } = describeAgent(node);
        return [task, usage, problem?.message, advice];
      }
      if (node.kind === "ask") {
        const { title, message } = describeAsk(node);
        return [title, message];
      }
      if (node.kind !== "notice" && node.kind !== "citation" && node.kind !== "file") return [];
      const aside = describeAside(node);
      return aside.kind === "notice" ? [aside.text] : aside.kind === "file" ? [aside.name] : [];
    }),
    ...(run.isOver ? [run.usage, run.mode, run.problem?.message, run.awaiting] : []),
    ...slotsOf(state).flatMap((slot) => {
      if (slot.kind === "plan") return slot.plan.todos.map(({ text }) => text);
      return run.isOver ? [slot.text] : [];
    }),
  ].flatMap((text) => (text ? [words(text)] : []));
};

/** Normalizes white space, which differs between a line and a paragraph. */
export const words = (text: string): string => text.replaceAll(/\s+/g, " ").trim();
