import { redis } from "../../src/logs/redis.ts";
import { runcast } from "../runcast.ts";

const prefix = process.env["BENCH_ID"] ?? "bench";
export const serve = runcast(await redis({ url: process.env["REDIS_URL"]!, prefix }));
