import { words } from "../random.ts";
import { createGate } from "../stage.ts";
import { able, must, type Trial, yes } from "../trial.ts";

const SOON_MS = 10_000;

export const twoViewers: Trial = {
  name: "two-viewers",
  shows: "a second page follows the same run live",
  limitMs: 30_000,
  run: async (context) => {
    const { driver, random, line, play } = context;
    const gate = createGate();
    const first = words(random, 40);
    const scene = play({ turns: [{ say: [...first, gate, ...words(random, 40)] }] });
    const conversation = driver.converse({});
    const one = conversation.send(scene.message, line());
    const half = first.join("");
    must(
      await one.until(({ text }) => text.includes(half), SOON_MS),
      "the first half is not shown while the model pauses",
    );
    const page = driver.converse({ id: conversation.id });
    const two = able(context, page, "follow")(line());
    const isShown = await two.until(({ text }) => text.includes(half), SOON_MS);
    must(
      isShown,
      `the second page does not show the text before it: ${two.refusal ?? `${two.screen.text.length} characters`}`,
    );
    gate.open();
    const ended = await Promise.all([one, two].map((viewer) => viewer.until(({ end }) => end !== undefined, SOON_MS)));
    must(ended.every(Boolean), "one of the two pages never gets the end");
    const texts = [one, two].map(({ screen }) => screen.text === scene.text(0));
    must(texts.every(Boolean), "the two pages do not show the same text");
    must(scene.asked === 1, `the agent ran ${scene.asked} times`);
    return yes("both pages show the same text, the second one live");
  },
};
