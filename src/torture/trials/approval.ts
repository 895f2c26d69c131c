import { answerAsk, startAsk } from "./approval/ask.ts";
import { must, type Trial, yes } from "../trial.ts";

export const approval: Trial = {
  name: "approval",
  shows: "a tool waits until the user allows or denies it",
  limitMs: 60_000,
  run: async (context) => {
    const allowed = await startAsk(context);
    must(allowed.scene.ran("mail") === 0, "the tool runs before anyone allows it");
    await answerAsk(context, allowed, true);
    must(allowed.scene.ran("mail") === 1, `the allowed tool ran ${allowed.scene.ran("mail")} times`);
    const denied = await startAsk(context);
    await answerAsk(context, denied, false);
    must(denied.scene.ran("mail") === 0, "the denied tool runs");
    return yes("the tool runs once when allowed, never when denied, and never before the answer");
  },
};
