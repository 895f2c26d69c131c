import { must, type Trial, yes } from "../trial.ts";

export const manyTokens: Trial = {
  name: "many-tokens",
  shows: "64k tokens: bytes and time for each",
  limitMs: 300_000,
  run: async ({ driver, line, play, isShort }) => {
    const count = isShort ? 4096 : 65_536;
    const say = Array.from({ length: count }, (_, index) => `t${index % 100} `);
    const scene = play({ turns: [{ say }] });
    const wire = line();
    const start = performance.now();
    const viewer = driver.converse({}).send(scene.message, wire);
    await viewer.over;
    const ms = performance.now() - start;
    must(
      viewer.screen.end === "done",
      `the run ends ${viewer.screen.end ?? "never"}: ${viewer.screen.problem ?? viewer.refusal ?? ""}`.slice(0, 300),
    );
    must(
      viewer.screen.text === scene.text(0),
      `${viewer.screen.text.length} characters are shown instead of ${scene.text(0).length}`,
    );
    const bytesPerToken = Math.round(wire.received / count);
    const microsecondsPerToken = Math.round((ms * 1000) / count);
    return yes(`${bytesPerToken} bytes and ${microsecondsPerToken} µs for each of ${count} tokens`, {
      tokens: count,
      bytesPerToken,
      microsecondsPerToken,
    });
  },
};
