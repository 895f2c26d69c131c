import path from "node:path";
import { drivers } from "../../../src/torture.ts";
import { startRedis } from "../../redis.ts";
import { nodeCommand, type SetUp, versionsOf } from "./peer.ts";

/** The AI SDK with resumable-stream, and the app's part as documented: messages are saved in Redis. */
export const setUp: SetUp = async ({ port }) => {
  const redis = await startRedis();
  if (!redis) return "AI SDK with resumable-stream needs redis-server, which is not installed";
  const free = await port();
  const url = `http://127.0.0.1:${free}/chat`;
  const file = path.join(import.meta.dirname, "resumable-stream/server.ts");
  const driver = drivers["ai-sdk"]!({ url });
  return {
    name: "AI SDK + resumable-stream (Redis)",
    versions: versionsOf("ai", "resumable-stream"),
    setUp:
      "The app of the AI SDK's guide to resumable streams. Messages and streams are in Redis. The guide leaves Stop to the app; here it is a request.",
    url,
    command: nodeCommand(file, { PORT: String(free), REDIS_URL: redis.url }),
    driver: { ...driver, cannot: { agent: "its address is one agent" } },
    stop: redis.stop,
  };
};
