import { createUIMessageStreamResponse } from "ai";
import { defineEventHandler } from "nitro/h3";
import { getRun } from "workflow/api";
import { uiChunks } from "../../../ui-chunks.mjs";

/** As in the guide: the client counts the chunks it has received, and the raw stream is always read from its start. */
export default defineEventHandler(async ({ req, context }) => {
  const startIndex = Number(new URL(req.url).searchParams.get("startIndex") ?? "0");
  const { run: id } = context.params;
  const run = await getRun(id);
  return createUIMessageStreamResponse({
    stream: run.getReadable({ startIndex: 0 }).pipeThrough(uiChunks(startIndex)),
    headers: { "x-workflow-run-id": id },
  });
});
