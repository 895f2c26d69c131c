import { createGate } from "../stage.ts";
import { must, needTools, type Trial, yes } from "../trial.ts";

const SOON_MS = 10_000;

export const parallelTools: Trial = {
  name: "parallel-tools",
  shows: "each of two parallel tools shows its result when it ends",
  limitMs: 30_000,
  run: async ({ driver, line, play }) => {
    const gate = createGate();
    const scene = play({
      turns: [
        {
          calls: [
            { tool: "lookup", key: "slow" },
            { tool: "lookup", key: "quick" },
          ],
        },
        { say: ["both are here"] },
      ],
      acts: { slow: { until: gate } },
    });
    const viewer = driver.converse({}).send(scene.message, line());
    const stateOf = (result: string) => viewer.screen.calls.find((call) => call.result === result)?.state;
    const isShown = await viewer.until(() => stateOf("result of quick") === "ok", SOON_MS);
    const isParallel = scene.ran("slow") === 1;
    gate.open();
    await viewer.over;
    needTools(scene);
    must(isParallel && scene.ran("quick") === 1, "the two calls do not run in parallel");
    must(isShown, "the result of the fast call is not shown until the slow call ends");
    must(stateOf("result of slow") === "ok", "the result of the slow call is not shown");
    must(viewer.screen.calls.length === 2, `${viewer.screen.calls.length} calls are shown instead of 2`);
    const [first, second] = viewer.screen.calls;
    must(
      first?.result === "result of slow" && second?.result === "result of quick",
      "the results are shown with the wrong calls",
    );
    must(viewer.screen.text === scene.text(1), "the answer after the calls is incomplete");
    return yes("the fast call shows its result while the slow one runs, and each result belongs to its call");
  },
};
