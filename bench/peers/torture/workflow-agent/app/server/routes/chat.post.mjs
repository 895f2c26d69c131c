import { createUIMessageStreamResponse } from "ai";
import { defineEventHandler } from "nitro/h3";
import { start } from "workflow/api";
import { z } from "zod";
import { chat } from "../../workflows/chat.mjs";
import { uiChunks } from "../ui-chunks.mjs";

const bodySchema = z.object({
  messages: z.array(z.looseObject({ role: z.string(), parts: z.array(z.unknown()) })).min(1),
});

export default defineEventHandler(async ({ req }) => {
  let body;
  try {
    body = bodySchema.parse(JSON.parse(await req.text()));
  } catch (error) {
    return new Response(String(error), { status: 400 });
  }
  const run = await start(chat, [body.messages]);
  return createUIMessageStreamResponse({
    stream: run.readable.pipeThrough(uiChunks()),
    headers: { "x-workflow-run-id": run.runId },
  });
});
