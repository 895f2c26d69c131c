// Feeds decoders and the event stream reader with output of broken and hostile servers:
// `npm run fuzz -- [dialect | sse] [--seconds 60] [--seed N]`.
import { parseArgs } from "node:util";
import { fuzz, fuzzTargets } from "../test/fuzzing.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seconds: { type: "string", default: "60" }, seed: { type: "string" } },
});
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
const unknown = positionals.filter((target) => !fuzzTargets.includes(target));
if (unknown.length > 0 || !Number.isInteger(seed) || !(Number(values.seconds) > 0)) {
  console.error(`usage: npm run fuzz -- [${fuzzTargets.join(" | ")}] [--seconds 60] [--seed N]`);
  process.exit(2);
}
let failed = 0;
for (const target of positionals.length > 0 ? positionals : fuzzTargets) {
  const { cases, failure } = await fuzz(target, Number(values.seconds), seed);
  if (failure !== undefined) failed++;
  console.log(
    `${failure === undefined ? "ok  " : "FAIL"} ${target}: ${cases} cases, seed ${seed}${failure ? `\n${failure}` : ""}`,
  );
}
process.exit(failed > 0 ? 1 : 0);
