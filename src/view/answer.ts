import type { AgentNode, PartNode, RunState } from "../state.ts";

/** The run's answer as Markdown: the parts the run names as its answer, or all of the root agent's text if it names none. */
export const answerMarkdown = (state: RunState): string =>
  (state.answer.length > 0 ? state.answer.map((part) => state.nodes.get(part)) : ownTexts(state.root))
    .flatMap((node) => (node?.kind === "text" ? [node.text.trim()] : []))
    .filter(Boolean)
    .join("\n\n");

const ownTexts = (root: AgentNode): readonly PartNode[] =>
  root.items.filter((item): item is PartNode => item.kind === "text" && item.call === undefined);
