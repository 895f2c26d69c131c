/** What the peers are better at than Runcast. Written by hand; everything else in the document is measured. */
export const strengths = [
  "AI SDK: the largest set of providers, UI components and examples, and typed tools end to end. Its streams are the smallest per token here.",
  "AG-UI: one protocol that many frameworks and front ends implement; clients exist for several languages.",
  "PydanticAI: typed agents and outputs in Python, with an evaluation framework. Runcast has no Python agents of its own.",
  "LangGraph: graphs with checkpoints that can be inspected, edited and forked at every step; Runcast's agents are loops.",
  "Agno: teams, workflows, memory and knowledge bases in one runtime.",
  "CopilotKit: ready-made React components, and agents that act on the state of the page.",
];
