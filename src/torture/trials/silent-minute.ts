import { createGate } from "../stage.ts";
import { must, no, type Trial, yes } from "../trial.ts";

/** Proxies close a connection that is silent for a minute, many after 30 s. */
const LONGEST_MS = 30_000;

export const silentMinute: Trial = {
  name: "silent-minute",
  shows: "the stream stays alive while the model is silent for a minute",
  limitMs: 120_000,
  isIdle: true,
  run: async ({ driver, line, play, isShort }) => {
    const silence = isShort ? 17_000 : 60_000;
    const gate = createGate();
    const scene = play({ turns: [{ say: ["one ", gate, "two"] }] });
    const wire = line();
    const viewer = driver.converse({}).send(scene.message, wire);
    must(
      await viewer.until(({ text }) => text === "one ", 10_000),
      "the first word is not shown while the model pauses",
    );
    const before = wire.received;
    await new Promise((resolve) => setTimeout(resolve, silence));
    const signs = wire.received - before;
    const longest = Math.round(wire.longestSilenceMs);
    gate.open();
    await viewer.over;
    const numbers = { longestSilenceMs: longest };
    must(viewer.screen.text === scene.text(0), "the answer does not continue after the silence");
    // The answer continued over the same connection, so the server was alive all the time.
    if (signs === 0)
      return { ...no(`no byte arrived in ${silence / 1000} s: a proxy would close the connection`), isSure: true };
    must(longest <= LONGEST_MS, `no byte arrived for ${Math.round(longest / 1000)} s`);
    return yes(
      `in ${silence / 1000} s of silence, a byte arrived at least every ${Math.round(longest / 1000)} s`,
      numbers,
    );
  },
};
