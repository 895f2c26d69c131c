import type { Viewer } from "../driver.ts";
import { words } from "../random.ts";
import { createGate } from "../stage.ts";
import { able, must, needRestart, needTools, stored, type Trial, yes } from "../trial.ts";

const RETRY_MS = 45_000;

export const serverKilled: Trial = {
  name: "server-killed",
  shows: "a run continues after its server was killed and restarted",
  limitMs: 180_000,
  kills: true,
  run: async (context) => {
    const { driver, random, line, play } = context;
    const server = needRestart(context);
    const [first, second] = [createGate(), createGate()];
    const [begun, half, rest] = [words(random, 20), words(random, 20), words(random, 40)];
    const scene = play({
      turns: [{ calls: [{ tool: "lookup", key: "a" }] }, { say: [...begun, first, ...half, second, ...rest] }],
    });
    const conversation = driver.converse({});
    const before = conversation.send(scene.message, line());
    const isBegun = await before.until(({ text }) => text === begun.join(""), 10_000);
    needTools(scene);
    must(isBegun, "the first words are not shown while the model pauses");
    await stored(context);
    // The server is killed as soon as these words are shown, so it must have stored them before.
    first.open();
    const isShown = await before.until(({ text }) => text === [...begun, ...half].join(""), 10_000);
    must(isShown, "the first half is not shown while the model pauses");
    await server.kill();
    second.open();
    await server.start();
    const resume = able(context, conversation, "resume");
    let after: Viewer = before;
    let answered = "nothing";
    for (const until = Date.now() + RETRY_MS; after.screen.end === undefined && Date.now() < until;) {
      after = resume(after, line());
      await after.until((screen) => screen.end !== undefined, until - Date.now());
      // The last response explains more than a request that got none.
      if (after.status !== undefined)
        answered = `${after.status}${after.refusal ? `: ${after.refusal.slice(0, 200)}` : ", and never the run's end"}`;
      if (after.screen.end === undefined) await new Promise((resolve) => setTimeout(resolve, 1000));
    }
    const { end, text } = after.screen;
    must(end !== undefined, `after the restart, the run cannot be followed: the server answers ${answered}`);
    must(end === "done", `after the restart, the run is shown as ${end} and does not continue`);
    must(scene.ran("a") === 1, `a completed call ran ${scene.ran("a")} times`);
    must(text === scene.text(1), "after the restart, the answer is incomplete");
    return yes("the page gets the whole answer, and the completed call does not run again");
  },
};
