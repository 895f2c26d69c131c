import { words } from "../random.ts";
import { able, must, needTools, type Trial, yes } from "../trial.ts";

const LATER_MS = 1000;

export const lateViewer: Trial = {
  name: "late-viewer",
  shows: "a page opened after the end shows the whole run",
  limitMs: 30_000,
  run: async (context) => {
    const { driver, random, line, play, isShort } = context;
    const scene = play({
      turns: [{ say: words(random, 20), calls: [{ tool: "lookup", key: "a" }] }, { say: words(random, 40) }],
    });
    const conversation = driver.converse({});
    const first = conversation.send(scene.message, line());
    await first.over;
    needTools(scene);
    must(
      first.screen.end === "done",
      `the run itself does not complete: ${first.refusal ?? first.screen.problem ?? "no end"}`,
    );
    // Some servers save a run only after they have ended its stream.
    await new Promise((resolve) => setTimeout(resolve, isShort ? 0 : LATER_MS));
    const page = driver.converse({ id: conversation.id });
    const viewer = able(context, page, "follow")(line());
    await viewer.until(({ end }) => end !== undefined, 10_000);
    must(
      viewer.screen.end === "done",
      `the late page gets no complete run: ${viewer.refusal ?? viewer.status ?? "no end"}`,
    );
    must(viewer.screen.text === scene.text(0) + scene.text(1), "the late page does not show the whole text");
    must(viewer.screen.calls[0]?.result === "result of a", "the late page does not show the call's result");
    return yes("the late page shows the text, the call and its result");
  },
};
