import { expect, test } from "vitest";
import { type Conversation, type Driver, drivers, startStage, torture, tortureAgent } from "../../src/torture.ts";
import { type Exchange, openLine } from "../../src/torture/line.ts";
import { createRandom } from "../../src/torture/random.ts";
import { cutAnywhere } from "../../src/torture/trials/cut-anywhere.ts";
import { freePort } from "../engines/redis.ts";
import { onStop, serve } from "../serving.ts";

const TIMEOUT = { timeout: 60_000 };

/** A driver whose first pages that resume get nothing: once, or whenever they resume. */
const breaking = (driver: Driver, { pages, always }: { readonly pages: number; readonly always: boolean }) => {
  const broken = new Set<string>();
  const isBroken = ({ id }: Conversation): boolean => {
    if (broken.has(id)) return always;
    return broken.size < pages && broken.add(id).has(id);
  };
  const converse: Driver["converse"] = (options) => {
    const page = driver.converse(options);
    return { ...page, resume: (viewer, line) => (isBroken(page) ? viewer : page.resume!(viewer, line)) };
  };
  return { broken, driver: { ...driver, converse } };
};

test(
  "the same seed repeats the texts and the places of the cuts, also if a page needs more requests",
  TIMEOUT,
  async () => {
    const stage = await startStage();
    onStop(stage.close);
    const { url } = await serve(tortureAgent(stage.url));
    const native = drivers["native"]!({ url });

    const played = async (seed: number, driver = native) => {
      const texts: string[] = [];
      const cuts: number[] = [];
      const record: Exchange[] = [];
      let whole = { received: 0 };
      let isNewRun = false;
      const { verdict, because } = await cutAnywhere.run({
        ...{ driver, url, headers: {}, isShort: true, random: createRandom(seed), restart: undefined },
        keepEvidence: () => {},
        play: (script) => {
          const scene = stage.play(script);
          isNewRun = true;
          texts.push(scene.text(0) + scene.text(1));
          return scene;
        },
        line: (faults = {}) => {
          const line = openLine(faults, record);
          if (texts.length === 1) whole = line;
          // The length of a stream depends on how the server merges pieces, so a place is a part of it.
          else if (isNewRun) cuts.push((faults.cutAfter! - 1) / (whole.received - 1));
          isNewRun = false;
          return line;
        },
      });
      expect({ verdict, because }).toMatchObject({ verdict: "yes" });
      return { texts, cuts };
    };

    const first = await played(7);
    const again = await played(7, breaking(native, { pages: 1, always: false }).driver);
    expect(first.cuts).toHaveLength(6);
    expect(again.texts).toEqual(first.texts);
    for (const [index, cut] of again.cuts.entries()) expect(cut).toBeCloseTo(first.cuts[index]!, 2);
    expect((await played(8)).texts).not.toEqual(first.texts);
  },
);

test("a no names every cut that failed, and its evidence is the first of them", TIMEOUT, async () => {
  const stagePort = await freePort();
  const { url } = await serve(tortureAgent(`http://127.0.0.1:${stagePort}`));
  const { broken, driver } = breaking(drivers["native"]!({ url }), { pages: 2, always: true });
  const results = torture({ url, driver, stagePort, seed: 7, isShort: true, only: ["cut-anywhere"] });
  const [result] = await Array.fromAsync(results);
  expect(result!.because).toMatch(
    /^the page does not recover from 2 of 6 cuts, at bytes \d+, \d+, and first: the end never arrived/,
  );
  const { ended, request } = result!.evidence!.at(-1)!;
  expect(ended).toBe("cut by the trial");
  expect(request).toContain([...broken][0]);
});
