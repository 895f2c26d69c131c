import type { AgentNode, PartNode, RunState } from "../state.ts";

/** What the agent itself answered, as Markdown: the answer that the run names, or all its words where it names none. */
export const answerMarkdown = (state: RunState): string =>
  (state.answer.length > 0 ? state.answer.map((part) => state.nodes.get(part)) : ownTexts(state.root))
    .flatMap((node) => (node?.kind === "text" ? [node.text.trim()] : []))
    .filter(Boolean)
    .join("\n\n");

const ownTexts = (root: AgentNode): readonly PartNode[] =>
  root.items.filter((item): item is PartNode => item.kind === "text" && item.call === undefined);
