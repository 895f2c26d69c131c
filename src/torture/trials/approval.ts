import { answerAsk, startAsk } from "./approval/ask.ts";
import { must, type Trial, yes } from "../trial.ts";

export const approval: Trial = {
  name: "approval",
  shows: "a tool waits for a person, who allows or denies it",
  limitMs: 60_000,
  run: async (context) => {
    const allowed = await startAsk(context);
    must(allowed.scene.ran("mail") === 0, "the tool runs before anybody allows it");
    await answerAsk(context, allowed, true);
    must(allowed.scene.ran("mail") === 1, `the tool that was allowed ran ${allowed.scene.ran("mail")} times`);
    const denied = await startAsk(context);
    await answerAsk(context, denied, false);
    must(denied.scene.ran("mail") === 0, "the tool that was denied runs");
    return yes("nothing ran before the answer, then once if allowed, and never if denied");
  },
};
