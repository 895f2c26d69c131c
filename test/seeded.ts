// With RUNCAST_SEED, every generated case is deterministic: to reproduce a failure, and for runs that gate others' work.
import process from "node:process";

const seed = process.env.RUNCAST_SEED;
if (seed !== undefined) {
  const { configureGlobal } = await import("fast-check");
  configureGlobal({ seed: Number(seed) });
}
