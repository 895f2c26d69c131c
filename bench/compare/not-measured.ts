/** Systems without a file in bench/peers/torture/, and why. Handwritten. */
export const notMeasured = [
  "AI SDK WorkflowAgent with the Workflow SDK's Postgres world: no release of @workflow/world-postgres that fits @ai-sdk/workflow 2 could be installed. 5.0.0-beta.29 depends on a version of @workflow/errors that was not found; 5.0.0-beta.27 needs workflow 5.0.0-beta.35, whose compiler plug-in could not be downloaded; 4.x needs an older agent, which cannot take back the text of a failed attempt.",
  "Chainlit: it brings a page but no agent loop and no storage. Both would be our own code, so most of the verdicts would be about our code.",
  "CopilotKit's SQLite runner, which keeps threads after a restart: @copilotkit/sqlite-runner was not found in the registry. The trials that kill the default runner say nothing about it.",
  "LangGraph's production server: it needs a license. The trials that kill the development server say nothing about it.",
  "LibreChat: it needs MongoDB, which was not installed on the machine.",
  "PydanticAI with an engine for durable execution (Temporal, DBOS, Prefect or Restate): not set up. The trials that kill the plain server say nothing about it.",
];
