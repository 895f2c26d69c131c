import { defineEventHandler } from "nitro/h3";
import { stopHook } from "../../../../workflows/chat.mjs";

export default defineEventHandler(async ({ context }) => {
  await stopHook.resume(`stop:${context.params.run}`, {});
  return new Response();
});
