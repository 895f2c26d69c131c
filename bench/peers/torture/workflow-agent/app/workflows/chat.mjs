// The agent of the trials as a `WorkflowAgent`, following its guide and the Workflow SDK's recipe for a stop button: every
// tool is a step, and the abort signal reaches the model and the tools.
import { createAnthropic } from "@ai-sdk/anthropic";
import { WorkflowAgent } from "@ai-sdk/workflow";
import { convertToModelMessages, streamText, tool } from "ai";
import { defineHook, FatalError, getWorkflowMetadata, getWritable } from "workflow";
import { z } from "zod";

export const stopHook = defineHook({ schema: z.object({}) });
const inputSchema = z.object({ key: z.string() });
/** This provider can be passed from the workflow to its steps; the one for compatible servers cannot. */
const kitModel = () =>
  createAnthropic({ baseURL: `${process.env.TORTURE_URL}/v1`, apiKey: "none" })("claude-sonnet-4-6");

const kit = async (name, key, signal) => {
  const body = JSON.stringify({ key });
  const response = await fetch(`${process.env.TORTURE_URL}/tools/${name}`, { method: "POST", body, signal });
  const text = await response.text();
  // Any other error means that the step is tried again.
  if (!response.ok) throw new FatalError(text);
  return text;
};

async function lookup({ key }, { abortSignal }) {
  "use step";
  return await kit("lookup", key, abortSignal);
}

async function fail({ key }, { abortSignal }) {
  "use step";
  return await kit("fail", key, abortSignal);
}

async function send({ key }, { abortSignal }) {
  "use step";
  return await kit("send", key, abortSignal);
}

/** As the guide to updates from tools: the step writes a data part, which the page shows and replaces by its id. */
async function delegate({ key }, { abortSignal, toolCallId }) {
  "use step";
  const writer = getWritable().getWriter();
  let text = "";
  try {
    for await (const delta of streamText({ model: kitModel(), prompt: key, abortSignal }).textStream) {
      text += delta;
      await writer.write({ type: "data-helper", id: toolCallId, data: { text } });
    }
  } finally {
    writer.releaseLock();
  }
  return text;
}

async function writeStop() {
  "use step";
  const writer = getWritable().getWriter();
  await writer.write({ type: "abort" });
  writer.releaseLock();
}

export async function chat(messages) {
  "use workflow";
  const { workflowRunId } = getWorkflowMetadata();
  const controller = new AbortController();
  const stop = stopHook.create({ token: `stop:${workflowRunId}` });
  const tools = {
    lookup: tool({ description: "Looks it up.", inputSchema, execute: lookup }),
    fail: tool({ description: "Fails.", inputSchema, execute: fail }),
    send: tool({ description: "Sends it.", inputSchema, needsApproval: true, execute: send }),
    delegate: tool({ description: "Has a helper do it.", inputSchema, execute: delegate }),
  };
  const agent = new WorkflowAgent({ model: kitModel(), tools });
  const running = agent.stream({
    messages: await convertToModelMessages(messages, { tools }),
    writable: getWritable(),
    abortSignal: controller.signal,
    onAbort: () => writeStop(),
  });
  const isStopped = await Promise.race([running.then(() => false), stop.then(() => true)]);
  if (!isStopped) return "done";
  controller.abort();
  await running;
  return "stopped";
}
