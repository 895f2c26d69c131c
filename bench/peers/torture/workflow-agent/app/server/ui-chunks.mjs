import { toUIMessageChunk } from "@ai-sdk/workflow";

/**
 * Does what `createModelCallToUIChunkTransform` of `@ai-sdk/workflow` does, and also passes on what the workflow writes
 * itself: data parts of tools, and the stop of a run.
 */
export const uiChunks = (startIndex = 0) => {
  let index = 0;
  const send = (controller, chunk) => {
    if (index++ >= startIndex) controller.enqueue(chunk);
  };
  return new TransformStream({
    start: (controller) => {
      send(controller, { type: "start" });
      send(controller, { type: "start-step" });
    },
    transform: (part, controller) => {
      const isOurs = part.type.startsWith("data-") || part.type === "abort";
      const chunk = isOurs ? part : toUIMessageChunk(part);
      if (chunk) send(controller, chunk);
    },
    flush: (controller) => {
      send(controller, { type: "finish-step" });
      send(controller, { type: "finish" });
    },
  });
};
