import { must, needTools, type Trial, yes } from "../trial.ts";

export const hugeResult: Trial = {
  name: "huge-result",
  shows: "a 5 MB tool result can be read whole",
  limitMs: 120_000,
  run: async ({ driver, line, play, random, isShort }) => {
    const size = (isShort ? 1 : 5) * 1024 * 1024;
    const mark = `mark-${random.below(1_000_000)}`;
    const result = `${mark} ${"0123456789abcdef\n".repeat(Math.ceil(size / 17))} ${mark}`;
    const scene = play({
      turns: [{ calls: [{ tool: "lookup", key: "huge" }] }, { say: ["That was a lot."] }],
      acts: { huge: { result } },
    });
    const wire = line();
    const conversation = driver.converse({});
    const viewer = conversation.send(scene.message, wire);
    await viewer.over;
    needTools(scene);
    const { end, text, calls, problem } = viewer.screen;
    must(end === "done", `the run ends as ${end ?? "nothing"}: ${problem ?? viewer.refusal ?? ""}`.slice(0, 300));
    must(text === scene.text(1), "the model's text after the result is missing");
    const [call] = calls;
    const file = call?.file;
    const whole = file === undefined ? call?.result : await conversation.result?.(file, line());
    must(whole === result, `${whole?.length ?? 0} of ${result.length} characters of the result can be read`);
    const where = file === undefined ? "in the stream" : "beside the stream";
    return yes(`the whole result can be read ${where}; the stream is ${Math.ceil(wire.received / 1024)} KB`, {
      streamBytes: wire.received,
    });
  },
};
