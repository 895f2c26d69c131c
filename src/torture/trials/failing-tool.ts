import { must, needTools, type Trial, yes } from "../trial.ts";

const REASON = "the archive is closed on Mondays";

export const failingTool: Trial = {
  name: "failing-tool",
  shows: "a failed tool is shown as failed, and the run continues",
  limitMs: 30_000,
  run: async ({ driver, line, play }) => {
    const scene = play({
      turns: [{ calls: [{ tool: "fail", key: "broken" }] }, { say: ["I could not look it up."] }],
      acts: { broken: { error: REASON } },
    });
    const viewer = driver.converse({}).send(scene.message, line());
    await viewer.over;
    needTools(scene);
    const { calls, text, end, problem } = viewer.screen;
    must(
      end === "done" && text === scene.text(1),
      `the run does not continue: ${problem ?? viewer.refusal ?? "no end"}`,
    );
    must(calls.length === 1, `${calls.length} calls are shown instead of 1`);
    must(calls[0]!.state !== "ok", "the failed call looks successful");
    must(calls[0]!.state === "error", `the call is shown as ${calls[0]!.state}`);
    must(calls[0]!.result.includes(REASON), `the reason is not shown: ${calls[0]!.result.slice(0, 100)}`);
    return yes("the call is shown as failed with its reason, and the model continues");
  },
};
