import { postgres } from "../../src/logs/postgres.ts";
import { runcast } from "../runcast.ts";

const schema = process.env["BENCH_ID"] ?? "bench";
export const serve = runcast(await postgres({ url: process.env["POSTGRES_URL"]!, schema }));
