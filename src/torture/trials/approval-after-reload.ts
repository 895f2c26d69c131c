import { answerAsk, isAsked, startAsk } from "./approval/ask.ts";
import { able, must, type Trial, yes } from "../trial.ts";

export const approvalAfterReload: Trial = {
  name: "approval-after-reload",
  shows: "a reloaded page shows the approval and can answer it",
  limitMs: 60_000,
  run: async (context) => {
    const { scene, conversation, viewer: first } = await startAsk(context);
    first.close();
    await first.over;
    const page = context.driver.converse({ id: conversation.id });
    const viewer = able(context, page, "follow")(context.line());
    must(
      await viewer.until(isAsked, 10_000),
      `the reloaded page shows no approval: ${viewer.refusal ?? viewer.status ?? "no response"}`,
    );
    await answerAsk(context, { scene, conversation: page, viewer }, true);
    must(scene.ran("mail") === 1, `the tool ran ${scene.ran("mail")} times`);
    return yes("the reloaded page shows the approval, and its answer takes effect");
  },
};
