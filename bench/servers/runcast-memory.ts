import { memory } from "../../src/logs/memory.ts";
import { runcast } from "../runcast.ts";

export const serve = runcast(memory());
