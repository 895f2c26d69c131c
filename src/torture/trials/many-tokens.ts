import { difference, must, mustSucceed, type Trial, yes } from "../trial.ts";

const LONGEST_MS = 240_000;

export const manyTokens: Trial = {
  name: "many-tokens",
  shows: "64k tokens: bytes and time per token",
  limitMs: 260_000,
  run: async ({ driver, line, play, isShort }) => {
    const count = isShort ? 4096 : 65_536;
    const say = Array.from({ length: count }, (_, index) => `t${index % 100},`);
    const scene = play({ turns: [{ say, everyMs: 0 }] });
    const wire = line();
    const start = performance.now();
    const viewer = driver.converse({}).send(scene.message, wire);
    await viewer.until(({ end }) => end !== undefined, LONGEST_MS);
    const ms = performance.now() - start;
    const shown = viewer.screen.text.length / scene.text(0).length;
    must(ms < LONGEST_MS, `after ${LONGEST_MS / 1000} s, ${Math.floor(shown * 100)}% of ${count} tokens have arrived`);
    mustSucceed(viewer);
    must(viewer.screen.text === scene.text(0), difference("the model's text", viewer.screen.text, scene.text(0)));
    const bytesPerToken = Math.round(wire.received / count);
    const microsecondsPerToken = Math.round((ms * 1000) / count);
    return yes(`${bytesPerToken} bytes and ${microsecondsPerToken} µs per token, for ${count} tokens`, {
      tokens: count,
      bytesPerToken,
      microsecondsPerToken,
    });
  },
};
