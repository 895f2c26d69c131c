/** What the peers are better at than Runcast. Handwritten; everything else in the document is measured. */
export const strengths = [
  "AI SDK: packages for dozens of model providers, UI components, and tools whose types reach the page.",
  "AI SDK + resumable-stream: a few lines of code and a Redis server make any stream of strings resumable. Its frames have neither a number nor a time, so a token takes fewer bytes than in Runcast's own protocol.",
  "AI SDK WorkflowAgent and the Workflow SDK: any function of the app becomes durable, with sleeps that last days, webhooks, retries of each step, and a dashboard of all runs. On Vercel, this needs no server of your own. Runcast makes an agent's runs durable, not the code around them.",
  "AG-UI: one protocol that many frameworks and front ends implement, with clients in several languages.",
  "PydanticAI: typed agents and outputs in Python, a framework for evaluations, and durable execution on Temporal, DBOS, Prefect or Restate. Runcast has no Python agents of its own.",
  "LangGraph: graphs with checkpoints that can be inspected, edited and forked at every step. Runcast's agents are loops.",
  "Agno: teams, workflows, memory and knowledge bases in one runtime.",
  "Open WebUI: a complete chat product with accounts, model management, knowledge bases, voice and plugins. Runcast's page is about agents' runs only.",
  "CopilotKit: ready-made React components, and agents that read and change the state of the page.",
];
