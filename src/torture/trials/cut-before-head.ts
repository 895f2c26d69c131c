import { words } from "../random.ts";
import { eventually, must, type Trial, yes } from "../trial.ts";

const MAX_REQUESTS = 5;
const REQUEST_MS = 2000;

/** The connection breaks after the request and before the first byte of the response, so the client sends the request again. */
export const cutBeforeHead: Trial = {
  name: "cut-before-head",
  shows: "a request that is sent again after a cut shows the run that the first one started",
  limitMs: 30_000,
  run: async ({ driver, random, line, play }) => {
    const scene = play({ turns: [{ say: words(random, 40) }] });
    const conversation = driver.converse({});
    // The client reads nothing until the agent is working.
    const broken = line({ stallAfter: 0 });
    const first = conversation.send(scene.message, broken);
    for (let step = 0; step < MAX_REQUESTS && scene.asked === 0; step++) {
      await eventually(() => scene.asked > 0, REQUEST_MS);
      // The client is not waiting for the run's response yet: it makes other requests or opens a socket first.
      if (scene.asked === 0) broken.endStall();
    }
    must(scene.asked > 0, "the model got no request");
    broken.cut();
    await first.over;
    const again = conversation.send(scene.message, line());
    await again.over;
    must(again.screen.end === "done", `the second request gets no complete response: ${again.refusal ?? "no end"}`);
    must(again.screen.text === scene.text(0), "the second request does not show the whole answer");
    must(scene.asked === 1, `the agent ran ${scene.asked} times for one message`);
    return yes("the second request shows the run that the first one started");
  },
};
