import type { Viewer } from "../driver.ts";
import { able, difference, eventually, must, type Trial, type TrialContext, yes } from "../trial.ts";

const PIECE = 16 * 1024;

/** Sends more than the buffers of a connection hold, so a viewer that does not read blocks the writer. */
export const slowViewer: Trial = {
  name: "slow-viewer",
  shows: "a slow page and a stalled page delay no one and lose nothing",
  limitMs: 240_000,
  run: async (context) => {
    const { driver, random, line, play, isShort } = context;
    const pieces = isShort ? 600 : 1000;
    const scene = play({
      turns: [{ say: Array.from({ length: pieces }, (_, index) => piece(index, random.below(26))) }],
    });
    const wanted = scene.text(0);
    const conversation = driver.converse({});
    const stalledLine = line({ stallAfter: 4096 });
    if (!driver.converse({}).follow) {
      // Only the page that started the run can read it.
      const only = conversation.send(scene.message, stalledLine);
      await eventually(() => scene.finished > 0, 60_000);
      must(scene.finished > 0, "the agent stops while its page does not read");
      stalledLine.endStall();
      await only.over;
      must(only.screen.text === wanted, "the stalled page does not get the rest");
      return yes("the agent continues while its page does not read, and the page gets the rest later");
    }
    const quick = conversation.send(scene.message, line());
    await quick.until(({ text }) => text.length > 0, 10_000);
    const page = () => able(context, driver.converse({ id: conversation.id }), "follow");
    const slow = page()(line({ bytesPerSecond: 3 * 1024 * 1024 }));
    const stalled = page()(stalledLine);
    await slow.until(({ text }) => text.length > 0, 10_000);
    await eventually(() => stalledLine.received > 0, 10_000);
    await quick.until(({ end }) => end !== undefined, 120_000);
    must(quick.screen.end === "done", "a page that reads does not reach the end while others stall");
    must(quick.screen.text === wanted, difference("the text of the page that reads", quick.screen.text, wanted));
    await slow.until(({ end }) => end !== undefined, 30_000);
    const slowText = await wholeOf(context, conversation.id, slow);
    must(slowText === wanted, difference("the text of the slow page", slowText, wanted));
    stalledLine.endStall();
    await stalled.until(({ end }) => end !== undefined, 30_000);
    const stalledText = await wholeOf(context, conversation.id, stalled);
    must(stalledText === wanted, difference("the text of the stalled page", stalledText, wanted));
    return yes(`all three pages get all ${Math.round(wanted.length / 2 ** 20)} MB`);
  },
};

/** A server may disconnect a slow reader. The page then resumes where it stopped. A connection that stays open must not go silent. */
const wholeOf = async (context: TrialContext, id: string, viewer: Viewer): Promise<string> => {
  if (viewer.screen.end !== undefined || !viewer.isOver) return viewer.screen.text;
  const resumed = able(context, context.driver.converse({ id }), "resume")(viewer, context.line());
  await resumed.over;
  return resumed.screen.text;
};

const piece = (index: number, letter: number): string =>
  `${index}\n${String.fromCharCode(97 + letter).repeat(PIECE - 8)}`;
