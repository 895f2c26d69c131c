import type { Viewer } from "../driver.ts";
import { answerAsk, isAsked, startAsk } from "./approval/ask.ts";
import { able, must, needRestart, stored, type Trial, yes } from "../trial.ts";

const RETRY_MS = 45_000;

export const approvalAfterRestart: Trial = {
  name: "approval-after-restart",
  shows: "an approval stays open after the server was killed and restarted",
  limitMs: 180_000,
  kills: true,
  run: async (context) => {
    const server = needRestart(context);
    const { scene, conversation } = await startAsk(context);
    await stored(context);
    await server.kill();
    await server.start();
    const page = context.driver.converse({ id: conversation.id });
    const follow = able(context, page, "follow");
    let viewer: Viewer | undefined;
    for (const end = Date.now() + RETRY_MS; Date.now() < end && !(viewer && isAsked(viewer.screen));) {
      viewer?.close();
      viewer = follow(context.line());
      if (!(await viewer.until(isAsked, 5000))) await new Promise((resolve) => setTimeout(resolve, 500));
      if (viewer.screen.end !== undefined) break;
    }
    const { screen, refusal, status } = viewer!;
    const state =
      screen.end === undefined ? `the server answers ${refusal ?? status ?? "nothing"}` : `the run is ${screen.end}`;
    must(isAsked(screen), `after the restart, no approval is shown: ${state}`);
    await answerAsk(context, { scene, conversation: page, viewer: viewer! }, true);
    must(scene.ran("mail") === 1, `the tool ran ${scene.ran("mail")} times`);
    return yes("after the restart, the page shows the approval, and the tool runs once when allowed");
  },
};
