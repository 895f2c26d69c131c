import type { Viewer } from "../driver.ts";
import { words } from "../random.ts";
import { createGate } from "../stage.ts";
import { able, must, needRestart, needTools, type Trial, yes } from "../trial.ts";

const RETRY_MS = 30_000;

export const serverKilled: Trial = {
  name: "server-killed",
  shows: "a run continues after its server was killed and restarted",
  limitMs: 180_000,
  run: async (context) => {
    const { driver, random, line, play } = context;
    const server = needRestart(context);
    const gate = createGate();
    const half = words(random, 40);
    const scene = play({
      turns: [{ calls: [{ tool: "lookup", key: "a" }] }, { say: [...half, gate, ...words(random, 40)] }],
    });
    const conversation = driver.converse({});
    const before = conversation.send(scene.message, line());
    const isShown = await before.until(({ text }) => text === half.join(""), 10_000);
    needTools(scene);
    must(isShown, "the first half is not shown while the model pauses");
    await server.kill();
    gate.open();
    await server.start();
    const resume = able(context, conversation, "resume");
    let after: Viewer = before;
    for (const end = Date.now() + RETRY_MS; after.screen.end === undefined && Date.now() < end;) {
      after = resume(after, line());
      await after.until((screen) => screen.end !== undefined, RETRY_MS);
      if (after.screen.end === undefined) await new Promise((resolve) => setTimeout(resolve, 1000));
    }
    const { end, text } = after.screen;
    const answered = `${after.status ?? "nothing"}${after.refusal ? `: ${after.refusal.slice(0, 200)}` : ", and never the run's end"}`;
    must(end !== undefined, `after the restart, the run cannot be followed: the server answers ${answered}`);
    must(end === "done", `after the restart, the run is shown as ${end} and does not continue`);
    must(scene.ran("a") === 1, `a completed call ran ${scene.ran("a")} times`);
    must(text === scene.text(1), "after the restart, the answer is incomplete");
    return yes("the page gets the whole answer, and the completed call does not run again");
  },
};
