import type { Viewer } from "../driver.ts";
import { words } from "../random.ts";
import type { Scene } from "../stage.ts";
import {
  able,
  difference,
  eventually,
  mustSucceed,
  needTools,
  no,
  type Trial,
  type TrialContext,
  yes,
} from "../trial.ts";

const PIECES = 150;
const MAX_CUTS = 3;
const MAX_REQUESTS = 10;

const start = (context: TrialContext, cutAfter?: number) => {
  const { random, driver } = context;
  const scene = context.play({
    turns: [
      { say: words(random, 30), calls: [{ tool: "lookup", key: "a" }], everyMs: 0 },
      { say: words(random, PIECES), everyMs: 1 },
    ],
  });
  const conversation = driver.converse({});
  const line = context.line(cutAfter === undefined ? {} : { cutAfter });
  return { scene, conversation, line, viewer: conversation.send(scene.message, line) };
};

/** Cuts the stream at bytes that the seed chooses, up to three times in one run, and compares the final state. */
export const cutAnywhere: Trial = {
  name: "cut-anywhere",
  shows: "a stream that is cut at any byte resumes without loss or duplicates",
  limitMs: 120_000,
  run: async (context) => {
    const whole = start(context);
    await whole.viewer.over;
    needTools(whole.scene);
    mustSucceed(whole.viewer, "without a cut, ");
    const bytes = whole.line.received;
    const rounds = context.isShort ? 6 : 24;
    const wrong: { readonly at: number; readonly problem: string }[] = [];
    for (let round = 0; round < rounds; round++) {
      const at = 1 + context.random.below(bytes - 1);
      // In every other round, the page returns only after the run has ended.
      const problem = await cutAt(context, at, round % 2 === 1);
      if (problem === undefined) continue;
      context.keepEvidence();
      wrong.push({ at, problem });
    }
    const numbers = { cuts: rounds, wrong: wrong.length };
    if (wrong.length === 0) return yes(`after each of ${rounds} cuts, the rest arrived once and in order`, numbers);
    const [first] = wrong as [(typeof wrong)[0]];
    const places = wrong.map(({ at }) => at).join(", ");
    const where = wrong.length === 1 ? `at byte ${places}` : `at bytes ${places}, and first`;
    return no(`the page does not recover from ${wrong.length} of ${rounds} cuts, ${where}: ${first.problem}`, numbers);
  },
};

const cutAt = async (context: TrialContext, at: number, isLate: boolean): Promise<string | undefined> => {
  const { scene, conversation, viewer } = start(context, at);
  // Chosen now, because the number of requests may differ when the seed repeats the trial.
  const cuts = Array.from({ length: MAX_CUTS - 1 }, () => {
    const cutAfter = 200 + context.random.below(at + 1);
    return context.random.below(2) === 0 ? { cutAfter } : {};
  });
  let last: Viewer = viewer;
  await last.over;
  const resume = able(context, conversation, "resume");
  if (isLate) await ended(scene);
  for (let request = 1; last.screen.end === undefined && request < MAX_REQUESTS; request++) {
    last = resume(last, context.line(cuts[request - 1] ?? {}));
    await last.over;
  }
  const { screen } = last;
  const wanted = scene.text(0) + scene.text(1);
  if (screen.end === undefined) return `the end never arrived (${last.status ?? last.refusal ?? "no response"})`;
  if (screen.text !== wanted) return difference("the model's text", screen.text, wanted);
  if (screen.calls.length !== 1 || screen.calls[0]!.state !== "ok")
    return "the call is not shown exactly once, as completed";
  return scene.asked === 2 ? undefined : `the model got ${scene.asked} requests instead of 2`;
};

/** Waits until the model has finished and the server has had a moment to notice. */
const ended = async (scene: Scene): Promise<void> => {
  await eventually(() => scene.finished >= 2, 5000);
  await new Promise((resolve) => setTimeout(resolve, 300));
};
