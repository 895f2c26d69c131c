import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Source } from "../../src/source.ts";
import { type Browsing, describeInBrowser, ended, send } from "../browsing.ts";

const TOKENS = 300;
/** As in `web/src/kit/beat.ts`. */
const BEAT_MS = 50;

/** Text with several tokens per beat. */
const fast: Source = async function* () {
  yield { type: "step-start", step: "s" };
  yield { type: "text-start", part: "p" };
  for (let token = 0; token < TOKENS; token++) {
    yield { type: "text-delta", part: "p", delta: token % 20 === 19 ? `end ${token}.\n\n` : "word " };
    await wait(5);
  }
  yield { type: "text-end", part: "p" };
  yield { type: "step-end", step: "s", finish: "stop" };
};

interface Noted {
  beats: number;
  changes: number;
}

/** Runs in the page: counts beats and changes of a text. */
const note = (beatMs: number): void => {
  const noted: Noted = { beats: 0, changes: 0 };
  const { setTimeout: start } = window;
  const counting = (go: () => void, ms?: number) =>
    start(() => {
      if (ms === beatMs) noted.beats++;
      go();
    }, ms);
  Object.assign(window, { noted, setTimeout: counting });
  const isText = ({ target }: MutationRecord): boolean =>
    (target instanceof Element ? target : target.parentElement)?.closest(".markdown") !== null;
  new MutationObserver((records) => {
    if (records.some(isText)) noted.changes++;
  }).observe(document, { childList: true, characterData: true, subtree: true });
};

describeInBrowser("a fast stream", ({ serve, open }: Browsing) => {
  test("changes the page at most once per beat", async () => {
    const page = await open(await serve(fast));
    await page.evaluate(note, BEAT_MS);
    await send(page, "Begin");
    await ended(page, "done");
    expect(await page.locator(".markdown p").count()).toBe(TOKENS / 20);
    const { beats, changes } = await page.evaluate(() => (window as unknown as { noted: Noted }).noted);
    // The first change and the last need no beat.
    expect(changes).toBeGreaterThan(2);
    expect(changes).toBeLessThanOrEqual(beats + 2);
  });
});
