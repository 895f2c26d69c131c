import { words } from "../random.ts";
import { createGate, type Scene } from "../stage.ts";
import { able, eventually, must, needTools, type Trial, type TrialContext, yes } from "../trial.ts";

const SOON_MS = 10_000;
const NOTICE_MS = 3000;

/** Closing a tab must not stop a run. Only Stop does. */
export const cancelNotDisconnect: Trial = {
  name: "cancel-not-disconnect",
  shows: "closing the page does not stop the run, and a cancel does",
  limitMs: 60_000,
  run: async (context) => {
    const { isShort } = context;
    const left = await startHalf(context);
    left.viewer.close();
    await left.viewer.over;
    // A server that stops needs time to notice.
    await eventually(() => left.scene.aborted > 0, isShort ? 500 : NOTICE_MS);
    left.gate.open();
    await eventually(() => left.scene.ran("after") > 0 || left.scene.aborted > 0, SOON_MS);
    needTools(left.scene);
    must(left.scene.ran("after") === 1, "the agent stops when its only page is closed");

    const stopped = await startHalf(context);
    await able(context, stopped.conversation, "cancel")(context.line());
    await eventually(() => stopped.scene.aborted > 0, SOON_MS);
    const isStopped = stopped.scene.aborted > 0;
    stopped.gate.open();
    must(isStopped, `${SOON_MS / 1000} s after a cancel, the request to the model is still open`);
    await stopped.viewer.until(({ end }) => end !== undefined, SOON_MS);
    must(stopped.scene.ran("after") === 0, "a tool still runs after a cancel");
    must(
      stopped.viewer.isOver || stopped.viewer.screen.end !== undefined,
      "the page never learns that the run was cancelled",
    );
    must(stopped.viewer.screen.end !== "done", "the cancelled run looks finished");
    return yes("the run continues without a page, and a cancel stops the model and the tools");
  },
};

const startHalf = async ({ driver, random, line, play }: TrialContext) => {
  const gate = createGate();
  const half = words(random, 20);
  const scene = play({
    turns: [{ say: [...half, gate, "end"], calls: [{ tool: "lookup", key: "after" }] }, { say: ["done"] }],
  });
  const conversation = driver.converse({});
  const viewer = conversation.send(scene.message, line());
  must(await viewer.until(({ text }) => text === half.join(""), SOON_MS), notShown(scene));
  return { scene, gate, conversation, viewer };
};

const notShown = ({ asked }: Scene): string =>
  asked === 0 ? "the model got no request" : "the first half is not shown while the model pauses";
