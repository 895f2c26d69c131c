import { answerAsk, isAsked, startAsk } from "./approval/ask.ts";
import { able, must, type Trial, yes } from "../trial.ts";

export const approvalAfterReload: Trial = {
  name: "approval-after-reload",
  shows: "a page that is loaded again shows the approval and answers it",
  limitMs: 60_000,
  run: async (context) => {
    const { scene, conversation, viewer: first } = await startAsk(context);
    first.close();
    await first.over;
    const page = context.driver.converse({ id: conversation.id });
    const viewer = able(context, page, "follow")(context.line());
    must(
      await viewer.until(isAsked, 10_000),
      `the loaded page asks nothing: ${viewer.refusal ?? viewer.status ?? "silence"}`,
    );
    await answerAsk(context, { scene, conversation: page, viewer }, true);
    must(scene.ran("mail") === 1, `the tool ran ${scene.ran("mail")} times`);
    return yes("the loaded page asks, and its answer counts");
  },
};
