// With RUNCAST_SEED every generated case is the same each time: to see a failure again, and where a run decides about others' work.
import process from "node:process";

const seed = process.env.RUNCAST_SEED;
if (seed !== undefined) {
  const { configureGlobal } = await import("fast-check");
  configureGlobal({ seed: Number(seed) });
}
