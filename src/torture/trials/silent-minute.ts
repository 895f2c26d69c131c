import { createGate } from "../stage.ts";
import { must, type Trial, yes } from "../trial.ts";

/** Proxies give up on a connection that says nothing for a minute, many after 30 s. */
const LONGEST_MS = 30_000;

export const silentMinute: Trial = {
  name: "silent-minute",
  shows: "while the model is silent for a minute, the stream shows that it lives",
  limitMs: 120_000,
  run: async ({ driver, line, play, isShort }) => {
    const silence = isShort ? 17_000 : 60_000;
    const gate = createGate();
    const scene = play({ turns: [{ say: ["one ", gate, "two"] }] });
    const wire = line();
    const viewer = driver.converse({}).send(scene.message, wire);
    must(
      await viewer.until(({ text }) => text === "one ", 10_000),
      "the first word is not shown while the model waits",
    );
    const before = wire.received;
    await new Promise((resolve) => setTimeout(resolve, silence));
    const signs = wire.received - before;
    const longest = Math.round(wire.longestSilenceMs);
    gate.open();
    await viewer.over;
    const numbers = { longestSilenceMs: longest };
    must(viewer.screen.text === scene.text(0), "after the silence the answer does not go on");
    must(signs > 0, `in ${silence / 1000} s not a byte came: a proxy would have cut the stream`);
    must(longest <= LONGEST_MS, `for ${Math.round(longest / 1000)} s nothing came`);
    return yes(`in ${silence / 1000} s of silence, something came every ${Math.round(longest / 1000)} s`, numbers);
  },
};
