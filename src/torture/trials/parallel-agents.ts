import { words } from "../random.ts";
import { createGate } from "../stage.ts";
import { must, needTools, type Trial, yes } from "../trial.ts";

const SOON_MS = 15_000;

export const parallelAgents: Trial = {
  name: "parallel-agents",
  shows: "two parallel sub-agents are shown live and separately",
  limitMs: 60_000,
  run: async ({ driver, random, line, play }) => {
    const gate = createGate();
    const children = ["one", "two"].map((name) => {
      const half = words(random, 20).map((word) => `${name}-${word}`);
      const rest = words(random, 20).map((word) => `${name}-${word}`);
      return { half: half.join(""), scene: play({ turns: [{ say: [...half, gate, ...rest] }] }) };
    });
    const scene = play({
      turns: [
        { calls: children.map(({ scene: child }) => ({ tool: "delegate" as const, key: child.name })) },
        { say: ["both have answered"] },
      ],
    });
    const viewer = driver.converse({}).send(scene.message, line());
    const isLive = await viewer.until(
      ({ agents }) => children.every(({ half }) => agents.some(({ text }) => text === half)),
      SOON_MS,
    );
    const asked = children.filter(({ scene: child }) => child.asked > 0).length;
    gate.open();
    await viewer.over;
    needTools(scene);
    must(asked === 2, `${asked} of 2 sub-agents run in parallel`);
    must(isLive, "the text of the sub-agents is not shown while they work");
    const { agents, text, end } = viewer.screen;
    for (const { scene: child } of children)
      must(
        agents.some((agent) => agent.text === child.text(0)),
        "the text of a sub-agent is mixed with other text",
      );
    must(agents.length === 2, `${agents.length} sub-agents are shown instead of 2`);
    must(end === "done" && text === scene.text(1), "the agent does not continue after its sub-agents");
    return yes("both are shown while they work, and their texts are not mixed");
  },
};
