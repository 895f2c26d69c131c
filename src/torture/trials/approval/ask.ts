import type { Conversation, Viewer } from "../../driver.ts";
import type { Scene } from "../../stage.ts";
import { able, must, mustSucceed, needTools, type TrialContext } from "../../trial.ts";

export interface Asked {
  readonly scene: Scene;
  readonly conversation: Conversation;
  readonly viewer: Viewer;
}

const SOON_MS = 15_000;
/** How long the user thinks. If a stream ends with the question, even a busy server must end it within this time. */
const thinkingMs = ({ isShort }: TrialContext): number => (isShort ? 500 : 2000);
export const isAsked = ({ asks }: Viewer["screen"]): boolean => asks.some(({ isOpen }) => isOpen);

/** Starts a run that waits for the user to allow a call. */
export const startAsk = async ({ driver, line, play }: TrialContext): Promise<Asked> => {
  const scene = play({ turns: [{ calls: [{ tool: "send", key: "mail" }] }, { say: ["That was it."] }] });
  const conversation = driver.converse({ asks: true });
  const viewer = conversation.send(scene.message, line());
  const isShown = await viewer.until(isAsked, SOON_MS);
  needTools(scene);
  must(isShown, `no approval is shown: the run is ${viewer.screen.end ?? viewer.refusal ?? "silent"}`);
  return { scene, conversation, viewer };
};

/** Answers, and checks that the run completes. */
export const answerAsk = async (context: TrialContext, asked: Asked, allow: boolean): Promise<void> => {
  const { conversation, viewer, scene } = asked;
  const ask = viewer.screen.asks.find(({ isOpen }) => isOpen)!;
  await new Promise((resolve) => setTimeout(resolve, thinkingMs(context)));
  const after = await able(context, conversation, "answer")(viewer, ask.id, allow, context.line());
  await after.until(({ end }) => end !== undefined, SOON_MS);
  mustSucceed(after, "after the answer, ");
  must(after.screen.text.endsWith(scene.text(1)), "after the answer, the model's text is missing");
};
