import { must, mustSucceed, needTools, type Trial, yes } from "../trial.ts";

/** How much of the end of a result is searched for a link. */
const LINK_CHARACTERS = 16 * 1024;

export const hugeResult: Trial = {
  name: "huge-result",
  shows: "a 5 MB tool result can be read whole",
  limitMs: 120_000,
  run: async ({ driver, url, headers, line, play, random, isShort }) => {
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
    const { text, calls } = viewer.screen;
    mustSucceed(viewer);
    must(text === scene.text(1), "the model's text after the result is missing");
    const { result: shown = "", file } = calls[0] ?? {};
    const link = linkIn(shown, url);
    const textAt = async (address: string) => await (await line().fetch(address, { headers })).text();
    const stored = file === undefined ? undefined : await conversation.result?.(file, line());
    const whole = stored ?? (link === undefined ? shown : await textAt(link));
    must(whole === result, `${whole.length} of ${result.length} characters of the result can be read`);
    const elsewhere = link === undefined ? "outside the stream" : "behind a link in the result";
    const where = whole === shown ? "in the stream" : elsewhere;
    return yes(`the whole result can be read ${where}; the stream is ${Math.ceil(wire.received / 1024)} KB`, {
      streamBytes: wire.received,
    });
  },
};

/** A server may show the beginning of a result and a link to the rest on the same server. */
const linkIn = (shown: string, url: string): string | undefined => {
  const { origin } = new URL(url);
  const tail = shown.slice(-LINK_CHARACTERS);
  return tail.match(/https?:\/\/[^\s"\\]+/g)?.findLast((link) => URL.canParse(link) && new URL(link).origin === origin);
};
