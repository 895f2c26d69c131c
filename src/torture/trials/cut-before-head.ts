import { words } from "../random.ts";
import { eventually, must, type Trial, yes } from "../trial.ts";

/** The request arrives, and the connection breaks before the first byte of the answer: the client cannot know, and asks again. */
export const cutBeforeHead: Trial = {
  name: "cut-before-head",
  shows: "asked again after a cut before the answer, it runs once",
  limitMs: 30_000,
  run: async ({ driver, random, line, play }) => {
    const scene = play({ turns: [{ say: words(random, 40), everyMs: 2 }] });
    const conversation = driver.converse({});
    // Nothing of the answer is read before the agent is at work.
    const broken = line({ stallAfter: 0 });
    const first = conversation.send(scene.message, broken);
    await eventually(() => scene.asked > 0, 5000);
    broken.cut();
    await first.over;
    const again = conversation.send(scene.message, line());
    await again.over;
    must(again.screen.end === "done", `the second request is not answered: ${again.refusal ?? "no end"}`);
    must(again.screen.text === scene.text(0), "the second request does not show the whole answer");
    must(scene.asked === 1, `the agent ran ${scene.asked} times for one message`);
    return yes("the second request shows the run that the first has started");
  },
};
