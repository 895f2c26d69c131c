import type { Viewer } from "../driver.ts";
import { able, eventually, must, type Trial, type TrialContext, yes } from "../trial.ts";

const PIECE = 16 * 1024;

/** More than the buffers of a connection hold, so that a viewer who does not read is felt by whoever writes. */
export const slowViewer: Trial = {
  name: "slow-viewer",
  shows: "a slow and a stalled page hold up nobody, and lose nothing",
  limitMs: 120_000,
  run: async (context) => {
    const { driver, random, line, play, isShort } = context;
    const pieces = isShort ? 600 : 1000;
    const scene = play({
      turns: [{ say: Array.from({ length: pieces }, (_, index) => piece(index, random.below(26))), everyMs: 1 }],
    });
    const wanted = scene.text(0);
    const conversation = driver.converse({});
    const stalledLine = line({ stallAfter: 4096 });
    if (!driver.converse({}).follow) {
      // The page that started the run is the only one there can be.
      const only = conversation.send(scene.message, stalledLine);
      await eventually(() => scene.finished > 0, 30_000);
      must(scene.finished > 0, "while its page does not read, the agent stands still");
      stalledLine.goOn();
      await only.over;
      must(only.screen.text === wanted, "the page that stalled does not get the rest");
      return yes("the agent goes on while its page does not read, and the page gets the rest later");
    }
    const quick = conversation.send(scene.message, line());
    await quick.until(({ text }) => text.length > 0, 10_000);
    const page = () => able(context, driver.converse({ id: conversation.id }), "follow");
    const slow = page()(line({ bytesPerSecond: 3 * 1024 * 1024 }));
    const stalled = page()(stalledLine);
    await quick.until(({ end }) => end !== undefined, 60_000);
    must(quick.screen.end === "done", "a page that reads does not get to the end while others do not read");
    must(quick.screen.text === wanted, "the page that reads has lost something");
    await slow.until(({ end }) => end !== undefined, 30_000);
    must((await wholeOf(context, conversation.id, slow)) === wanted, "the slow page has lost something");
    stalledLine.goOn();
    await stalled.until(({ end }) => end !== undefined, 30_000);
    must((await wholeOf(context, conversation.id, stalled)) === wanted, "the page that stalled has lost something");
    return yes(
      `the page that reads has all ${Math.round(wanted.length / 2 ** 20)} MB, and so have the others in the end`,
    );
  },
};

/** A server may let go of who does not read: then the page goes on from where it is. A connection that stays open must not fall silent. */
const wholeOf = async (context: TrialContext, id: string, viewer: Viewer): Promise<string> => {
  if (viewer.screen.end !== undefined || !viewer.isOver) return viewer.screen.text;
  const resumed = able(context, context.driver.converse({ id }), "resume")(viewer, context.line());
  await resumed.over;
  return resumed.screen.text;
};

const piece = (index: number, letter: number): string =>
  `${index} ${String.fromCharCode(97 + letter).repeat(PIECE - 8)}\n`;
