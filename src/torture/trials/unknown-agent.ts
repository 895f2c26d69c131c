import { must, notApplicable, type Trial, yes } from "../trial.ts";

export const unknownAgent: Trial = {
  name: "unknown-agent",
  shows: "a request for an unknown agent is refused immediately, with a reason",
  limitMs: 30_000,
  run: async ({ driver, line, play }) => {
    const { agent: cannot } = driver.cannot;
    if (cannot !== undefined) return notApplicable(cannot);
    const scene = play({ turns: [{ say: ["hello"] }] });
    const start = performance.now();
    const viewer = driver.converse({ agent: "no-such-agent" }).send(scene.message, line());
    await viewer.over;
    const ms = performance.now() - start;
    const { status = 0, screen } = viewer;
    must(scene.asked === 0, "another agent runs instead");
    const isRefused = (status >= 400 && status < 500) || screen.end === "error";
    must(isRefused, `the response is ${status || "missing"}`);
    const words = screen.problem ?? viewer.refusal ?? "";
    must(words !== "", `the response is ${status} without a reason`);
    must(ms < 5000, `the response took ${Math.round(ms / 1000)} s`);
    return yes(`${status}: ${words.slice(0, 120)}`);
  },
};
